//! Options for trees and zones: every parameter of the library.

mod missing;
mod tree;
mod zones;

pub(crate) use missing::MissingName;
pub(crate) use tree::TreeArgs;
pub(crate) use zones::{ZoneArgs, ZoneName, routing_in_words, zone_in_words};

use crate::cli::Usage;
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use std::str::FromStr;

/// What the help says about a value of an option.
pub(crate) fn value_in_words<V: ValueEnum>(name: &str) -> String {
    let value = V::from_str(name, false).ok().and_then(|value| value.to_possible_value());
    let help = value.and_then(|value| value.get_help().map(ToString::to_string));
    let help = help.unwrap_or_else(|| name.to_owned());
    let mut letters = help.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

/// `NAME=NUMBER`.
#[derive(Clone, Debug)]
struct NamedNumber {
    name: String,
    number: f64,
}

impl FromStr for NamedNumber {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text
            .rsplit_once('=')
            .ok_or_else(|| format!("'{text}' has no '='; write NAME=NUMBER"))?;
        let number = number.parse().map_err(|_| format!("'{number}' is not a number"))?;
        Ok(Self { name: name.to_owned(), number })
    }
}

/// Reports parameters that the library rejects as usage errors.
fn usage(checked: ternwood::Result<()>) -> Result<()> {
    checked.map_err(|error| Usage(error.to_string()).into())
}

/// Numbers given by name, in the order of `names`. Others get `default`.
fn by_name(given: &[NamedNumber], names: &[String], what: &str, default: f64) -> Result<Vec<f64>> {
    let mut numbers = vec![default; names.len()];
    for NamedNumber { name, number } in given {
        let index = names.iter().position(|other| other == name).ok_or_else(|| {
            let known: Vec<String> = names.iter().take(12).map(|n| format!("'{n}'")).collect();
            let tail = if names.len() > 12 { ", ..." } else { "" };
            anyhow!("there is no {what} '{name}'; there are: {}{tail}", known.join(", "))
        })?;
        numbers[index] = *number;
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::zones::COST_RATIO;
    use super::*;
    use clap::{Args, Command, FromArgMatches};
    use ternwood::recipe::ZoneParams;
    use ternwood::{Routing, Schema, TreeParams, ZoneKind};

    /// The options when none is given.
    fn defaults<A: Args + FromArgMatches>() -> A {
        let matches = A::augment_args(Command::new("")).get_matches_from([""]);
        A::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn defaults_match_the_library() {
        let schema = Schema::unnamed(1, vec!["a".into(), "b".into()]).unwrap();
        let (tree, zones) = (defaults::<TreeArgs>(), defaults::<ZoneArgs>());
        let zone = zones.params(ZoneName::Margin, &schema).unwrap();
        assert_eq!(tree.params(zone, &schema).unwrap(), TreeParams::default());
        assert_eq!(zones.routing(), Routing::Probabilistic);
    }

    /// The parser does not know the defaults of knobs that only some zones have.
    #[test]
    fn help_shows_the_defaults_of_knobs() {
        let mut help = ZoneArgs::augment_args(Command::new("")).term_width(0);
        let help = help.render_long_help().to_string();
        let line = |option: &str| {
            let (_, after) = help.split_once(&format!("--{option} <")).unwrap();
            after.lines().nth(1).unwrap().trim().to_owned()
        };
        let ZoneKind::QualityPlateau { tolerance, .. } = ZoneKind::quality_plateau() else {
            panic!()
        };
        let ZoneKind::ClassOverlap { tail } = ZoneKind::class_overlap() else { panic!() };
        let ZoneKind::GainRatio { scale, .. } = ZoneKind::gain_ratio() else { panic!() };
        for (option, default) in [
            ("plateau-tolerance", tolerance),
            ("overlap-tail", tail),
            ("gain-scale", scale),
            ("cost-ratio", COST_RATIO),
            ("category-error", ZoneParams::default().category_error),
        ] {
            let line = line(option);
            assert!(line.ends_with(&format!("[default: {default}]")), "--{option}: {line}");
        }
    }
}
