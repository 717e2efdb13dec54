//! Which zones to measure.

use crate::growing::ZoneName;
use clap::ValueEnum;

/// A kind of zone, or all estimated kinds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Zones {
    All,
    One(ZoneName),
}

/// Accepts `all` in addition to the names of zones.
#[derive(Clone)]
pub(super) struct ZonesParser;

impl clap::builder::TypedValueParser for ZonesParser {
    type Value = Zones;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Zones, clap::Error> {
        let names: Vec<_> = self.possible_values().into_iter().flatten().collect();
        let name =
            clap::builder::PossibleValuesParser::new(names).parse_ref(command, arg, value)?;
        Ok(ZoneName::from_str(&name, false).map_or(Zones::All, Zones::One))
    }

    fn possible_values(
        &self,
    ) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        let all = clap::builder::PossibleValue::new("all").help("The five of the paper");
        let names = ZoneName::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        Some(Box::new(std::iter::once(all).chain(names)))
    }
}

/// The requested zones, without duplicates.
pub(super) fn zone_names(requested: &[Zones]) -> Vec<ZoneName> {
    let mut names = Vec::new();
    for zones in requested {
        let more = match zones {
            Zones::One(name) => vec![*name],
            Zones::All => ZoneName::ESTIMATED.to_vec(),
        };
        for name in more {
            // The table includes plain CART anyway.
            if name != ZoneName::None && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}
