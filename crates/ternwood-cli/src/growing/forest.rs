//! Options for forests.

use super::tree::row_count;
use super::usage;
use crate::cli::Usage;
use anyhow::Result;
use std::str::FromStr;
use ternwood::Recipe;
use ternwood::recipe::{Exponent, ForestParams, RowCount};

/// Many trees in place of one.
#[derive(clap::Args)]
#[command(next_help_heading = "Forest")]
pub(crate) struct ForestArgs {
    /// Grow so many trees, each on rows drawn at random, and answer with their mean: more accurate,
    /// but not to be read. Verdicts rest on rows out of bag, those that a tree has not seen
    #[arg(long, value_name = "TREES")]
    pub(crate) forest: Option<u32>,
    /// How many rows are drawn for a tree; a number, or a share like 0.5 [default: as many as there
    /// are, with replacement]
    #[arg(long, value_name = "N|SHARE", requires = "forest", value_parser = row_count)]
    max_samples: Option<RowCount>,
    /// Grow every tree on all rows; then no row is out of bag
    #[arg(long, requires = "forest", conflicts_with = "max_samples")]
    no_bootstrap: bool,
    /// The power that sharpens the mean of the trees' probabilities: off, auto (the best for rows out
    /// of bag), or a number [default: auto; with --no-bootstrap: off]
    #[arg(long, value_name = "HOW", requires = "forest")]
    exponent: Option<ExponentArg>,
}

#[derive(Clone, Copy, Debug)]
struct ExponentArg(Exponent);

impl FromStr for ExponentArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self(match text {
            "off" => Exponent::Off,
            "auto" => Exponent::Auto,
            _ => {
                let number = text.parse();
                Exponent::Given(number.map_err(|_| "off, auto, or a number like 1.5".to_owned())?)
            }
        }))
    }
}

impl ForestArgs {
    /// True if a tree has rows that it has not seen.
    pub(crate) fn has_out_of_bag(&self) -> bool {
        self.forest.is_some() && !self.no_bootstrap
    }

    /// The recipe to begin with, if a forest is wanted.
    pub(crate) fn recipe(&self) -> Option<Recipe> {
        let n_trees = self.forest?;
        let bootstrap = !self.no_bootstrap;
        let usual = if bootstrap { Exponent::Auto } else { Exponent::Off };
        let exponent = self.exponent.map_or(usual, |ExponentArg(exponent)| exponent);
        let max_samples = self.max_samples;
        let mut recipe = Recipe::forest();
        let defaults = ForestParams::default();
        recipe.ensemble =
            ForestParams { n_trees, bootstrap, max_samples, exponent, ..defaults }.into();
        if !bootstrap {
            recipe.auto.zone_scale = false;
        }
        Some(recipe)
    }

    /// Rejects what no forest can be, like the argument parser.
    pub(crate) fn check(&self) -> Result<()> {
        usage(self.recipe().map_or(Ok(()), |recipe| recipe.check().map(drop)))
    }

    /// Rejects what a tree alone can do, but not one of a forest.
    pub(crate) fn check_recipe(&self, recipe: &Recipe) -> Result<()> {
        match (self.forest, recipe.clone().check()) {
            (Some(_), Err(error)) => {
                Err(Usage(format!("{error}; leave it out, or leave out --forest")).into())
            }
            _ => Ok(()),
        }
    }
}
