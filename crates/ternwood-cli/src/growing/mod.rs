//! Options for trees and zones: every parameter of the library.

mod forest;
mod missing;
mod tree;
mod zones;

pub(crate) use forest::ForestArgs;
pub(crate) use missing::MissingName;
pub(crate) use tree::{TreeArgs, leaves_in_words};
pub(crate) use zones::{ZoneArgs, ZoneName, routing_in_words, zone_in_words};

use crate::cli::Usage;
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use std::str::FromStr;
use ternwood::{Recipe, Schema};

/// What the help says about a value of an option.
pub(crate) fn value_in_words<V: ValueEnum>(name: &str) -> String {
    let value = V::from_str(name, false).ok().and_then(|value| value.to_possible_value());
    let help = value.and_then(|value| value.get_help().map(ToString::to_string));
    let help = help.unwrap_or_else(|| name.to_owned());
    let mut letters = help.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

/// The value of an option that has this name. Names are the library's.
fn named<V: ValueEnum>(name: &str) -> V {
    V::from_str(name, false).expect("the command has the library's names")
}

/// The recipe of these options: the calibrated one, or with a kind of zone the paper's.
pub(crate) fn recipe(
    kind: Option<ZoneName>,
    tree: &TreeArgs,
    zones: &ZoneArgs,
    schema: &Schema,
) -> Result<Recipe> {
    let base = if kind.is_some() { Recipe::default() } else { Recipe::calibrated() };
    adapted(base, kind, tree, zones, schema)
}

/// A recipe that follows these options.
pub(crate) fn adapted(
    mut recipe: Recipe,
    kind: Option<ZoneName>,
    tree: &TreeArgs,
    zones: &ZoneArgs,
    schema: &Schema,
) -> Result<Recipe> {
    tree.apply(&mut recipe, schema)?;
    zones.apply(&mut recipe, kind, schema)?;
    Ok(recipe)
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
    use super::*;
    use clap::{Args, Command, FromArgMatches};
    use ternwood::recipe::{Auto, DepthChoice};

    /// The recipe if these options are given.
    fn recipe_of(kind: Option<ZoneName>, options: &[&str]) -> Recipe {
        let command = ZoneArgs::augment_args(TreeArgs::augment_args(Command::new("fit")));
        let matches = command.get_matches_from([&["fit"], options].concat());
        let tree = TreeArgs::from_arg_matches(&matches).unwrap();
        let zones = ZoneArgs::from_arg_matches(&matches).unwrap();
        let schema = Schema::unnamed(1, vec!["a".into(), "b".into()]).unwrap();
        tree.check().unwrap();
        zones.check(kind.as_ref().map(std::slice::from_ref), false).unwrap();
        recipe(kind, &tree, &zones, &schema).unwrap()
    }

    #[test]
    fn without_options_the_recipes_are_the_library_s() {
        assert_eq!(recipe_of(None, &[]), Recipe::calibrated());
        assert_eq!(recipe_of(Some(ZoneName::Margin), &[]), Recipe::default());
    }

    #[test]
    fn a_given_depth_or_scale_is_not_chosen() {
        let recipe = recipe_of(None, &["--max-depth", "3"]);
        assert_eq!(recipe.params.max_depth, Some(3));
        assert_eq!(recipe.auto, Auto { zone_scale: true, max_depth: None });
        let recipe = recipe_of(None, &["--zone-scale", "0.5", "--category-error", "1"]);
        assert_eq!((recipe.params.zone.scale, recipe.params.zone.category_error), (0.5, 1.0));
        let max_depth = Some(DepthChoice::Auto);
        assert_eq!(recipe.auto, Auto { zone_scale: false, max_depth });
    }

    #[test]
    fn a_depth_is_a_number_or_none_or_chosen() {
        let depth_of = |kind: Option<ZoneName>, depth: &str| {
            let recipe = recipe_of(kind, &["--max-depth", depth]);
            (recipe.auto.max_depth, recipe.params.max_depth)
        };
        for kind in [None, Some(ZoneName::Margin)] {
            assert_eq!(depth_of(kind, "auto"), (Some(DepthChoice::Auto), None));
            assert_eq!(depth_of(kind, "best"), (Some(DepthChoice::Best), None));
            assert_eq!(depth_of(kind, "none"), (None, None));
            assert_eq!(depth_of(kind, "7"), (None, Some(7)));
        }
    }

    /// A knob that has no such name in the library would be `null`.
    #[test]
    fn the_help_knows_the_default_of_every_knob() {
        let command = ZoneArgs::augment_args(TreeArgs::augment_args(Command::new("fit")));
        let help = command.term_width(0).render_long_help().to_string();
        assert!(!help.contains("null"), "{help}");
        for default in ["0.05", "criterion", "auto", "gini", "learn", "probabilistic"] {
            assert!(help.contains(&format!("[default: {default}]")), "{default}: {help}");
        }
    }
}
