//! Options beyond growing: leaf estimates, and what to choose automatically.

use crate::cli::Usage;
use crate::growing::{TreeArgs, ZoneArgs, ZoneName, value_in_words};
use anyhow::Result;
use clap::ValueEnum;
use std::str::FromStr;
use ternwood::recipe::{Auto, Leaves};

/// How leaves are estimated, and a shorthand for the best probabilities.
#[derive(clap::Args)]
#[command(next_help_heading = "Calibration")]
pub(crate) struct RecipeArgs {
    /// For the best probabilities: the width of zones, the depth and the leaves are fitted to the
    /// data. Short for spread zones, --zone-scale auto, --max-depth auto and --leaves em, each of
    /// which may be given otherwise
    #[arg(long)]
    pub(crate) calibrated: bool,
    /// Which probabilities leaves answer; em is expectation-maximisation [default: counts; with
    /// --calibrated: em]
    #[arg(long, value_enum)]
    leaves: Option<LeavesName>,
}

#[derive(ValueEnum, Clone, Copy)]
enum LeavesName {
    /// The class shares of their training rows
    Counts,
    /// The same with one extra row, divided among the classes like all training rows
    Smoothed,
    /// Fitted to all rows, of which those within zones count in several leaves
    Em,
}

/// What such leaves answer.
pub(crate) fn leaves_in_words(leaves: Leaves) -> String {
    value_in_words::<LeavesName>(&leaves.to_string())
}

/// A number, or `auto`: chosen from the data.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OrAuto<T> {
    Given(T),
    Auto,
}

impl<T: Copy> OrAuto<T> {
    pub(crate) fn given(self) -> Option<T> {
        match self {
            Self::Given(value) => Some(value),
            Self::Auto => None,
        }
    }
}

impl<T: FromStr> FromStr for OrAuto<T> {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text.parse().map(Self::Given).map_err(|_| "a number, or auto"),
        }
    }
}

impl RecipeArgs {
    /// The default zones.
    pub(crate) fn default_zone(&self) -> ZoneName {
        if self.calibrated { ZoneName::Spread } else { ZoneName::Margin }
    }

    pub(crate) fn leaves(&self) -> Leaves {
        match self.leaves {
            None if self.calibrated => Leaves::Em,
            None | Some(LeavesName::Counts) => Leaves::Counts,
            Some(LeavesName::Smoothed) => Leaves::Smoothed,
            Some(LeavesName::Em) => Leaves::Em,
        }
    }

    pub(crate) fn auto(&self, tree: &TreeArgs, zones: &ZoneArgs) -> Auto {
        Auto {
            zone_scale: zones.zone_scale.map_or(self.calibrated, |scale| scale.given().is_none()),
            max_depth: tree.max_depth.map_or(self.calibrated, |depth| depth.given().is_none()),
        }
    }

    /// Refuses a category error beside an automatic scale, which would overwrite it.
    pub(crate) fn check(&self, tree: &TreeArgs, zones: &ZoneArgs) -> Result<()> {
        if zones.category_error.is_none() || !self.auto(tree, zones).zone_scale {
            return Ok(());
        }
        let automatic =
            if zones.zone_scale.is_some() { "--zone-scale auto" } else { "--calibrated" };
        Err(Usage(format!(
            "{automatic} chooses zone scale and category error together; with --category-error \
             say --zone-scale FACTOR too"
        ))
        .into())
    }

    /// ", em leaves, automatic scale and depth"; nothing for the paper's method.
    pub(crate) fn described(&self, auto: Auto) -> String {
        let mut text = match self.leaves() {
            Leaves::Counts => String::new(),
            leaves => format!(", {leaves} leaves"),
        };
        text.push_str(match (auto.zone_scale, auto.max_depth) {
            (true, true) => ", automatic scale and depth",
            (true, false) => ", automatic scale",
            (false, true) => ", automatic depth",
            (false, false) => "",
        });
        text
    }
}
