//! `ternwood show`: a model as text, picture, graph, table or JSON.

use super::calibrate::verdict_report;
use crate::model_file::ModelFile;
use crate::output::OutputArgs;
use crate::reading::counted;
use crate::style;
use anyhow::Result;
use clap::ValueEnum;
use std::collections::BTreeSet;
use std::path::PathBuf;
use ternwood::dataset::FeatureKind;
use ternwood::export::{TextOptions, to_dot, to_table, to_text};
use ternwood::recipe::{CandidateLoss, Leaves, MissingValues};
use ternwood::{Feature, Model, ZoneKind};
use ternwood_figures::{TreeFigure, tree_svg};

/// Look at a model: as text, picture, graph, table or JSON
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ternwood show model.json
  ternwood show model.json --depth 2
  ternwood show model.json --format svg -o tree.svg
  ternwood show model.json --format dot | dot -Tpdf > tree.pdf")]
pub(crate) struct ShowArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// How to show it
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    format: ShowFormat,
    /// Number of tree levels to show (text and svg) [default: all of a small tree]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq)]
enum ShowFormat {
    /// Indented text
    Text,
    /// Graphviz
    Dot,
    /// Picture
    Svg,
    /// The model file itself
    Json,
    /// Comma-separated values, one line per node
    Table,
}

pub(crate) fn run(args: &ShowArgs) -> Result<()> {
    let output = args.output.create()?;
    let model = ModelFile::read(&args.model)?.model;
    match args.format {
        ShowFormat::Text => output.complete_coloured(&text(&model, args)),
        ShowFormat::Dot => output.complete(to_dot(&model)),
        ShowFormat::Svg => output.complete(picture(&model, args)?),
        ShowFormat::Json => output.complete(model.to_json()),
        ShowFormat::Table => output.complete(to_table(&model)),
    }
}

fn picture(model: &Model, args: &ShowArgs) -> Result<String> {
    let options = TreeFigure { max_depth: args.depth, ..TreeFigure::default() };
    Ok(tree_svg(model, None, &options)?)
}

/// Deeper trees are truncated, with a note, unless a depth is given.
const DEPTH_SHOWN: usize = 12;

fn text(model: &Model, args: &ShowArgs) -> String {
    let max_depth = args.depth.unwrap_or(DEPTH_SHOWN);
    let tree = to_text(model, TextOptions { max_depth });
    format!("{}\n{}", summary(model), style::tree(&tree))
}

/// A summary of the model in a few lines.
pub(crate) fn summary(model: &Model) -> String {
    let schema = model.schema();
    let classes: Vec<String> = schema.classes().iter().map(ToString::to_string).collect();
    let target = schema.target().map_or_else(String::new, |target| format!(" of '{target}'"));
    let mut lines = vec![
        format!("classes{target}: {}", listed(&classes, ", ")),
        format!("{}{}", counted(schema.n_features(), "feature"), nominal_features(model)),
        shape(model),
    ];
    lines.extend(chosen(model));
    lines.extend(verdict_report(model).lines().map(str::to_owned));
    lines.extend(missing_values(model));
    for Feature { name, kind, .. } in tested_features(model) {
        match kind {
            FeatureKind::Number => {}
            FeatureKind::Categories(names) => {
                lines.push(format!("categories of {name}: {}", listed(names, ", ")));
            }
            FeatureKind::Ordered(names) => {
                lines.push(format!("order of {name}: {}", listed(names, " < ")));
            }
        }
    }
    lines.iter().map(|line| format!("{}\n", style::one_line(line))).collect()
}

/// The features that some test looks at.
fn tested_features(model: &Model) -> impl Iterator<Item = &Feature> {
    let tree = model.tree();
    let splits = tree.ids().filter_map(|id| tree.node(id).as_split());
    let tested: BTreeSet<usize> = splits.map(|split| split.test.feature().index()).collect();
    tested.into_iter().map(|index| &model.schema().features()[index])
}

/// ", 3 of them nominal".
fn nominal_features(model: &Model) -> String {
    let features = model.schema().features();
    match features.iter().filter(|feature| !feature.kind.is_number()).count() {
        0 => String::new(),
        nominal => format!(", {nominal} of them nominal"),
    }
}

/// What the model does with missing values, unless every split learns their side.
fn missing_values(model: &Model) -> Option<String> {
    let filled: Vec<String> = model.schema().features().iter().filter_map(fill).collect();
    if !filled.is_empty() {
        return Some(format!("missing values become: {}", listed(&filled, ", ")));
    }
    match model.recipe().params.missing {
        MissingValues::Learn => None,
        MissingValues::Unknown => Some("missing values are unknown at every test".to_owned()),
        MissingValues::Error => Some("missing values are an error".to_owned()),
    }
}

/// "age 45" or "smoker never": what replaces a missing value.
fn fill(feature: &Feature) -> Option<String> {
    let fill = feature.fill?;
    let is_rank = fill >= 0.0 && fill.fract() == 0.0;
    let name = feature.kind.names().get(fill as usize).filter(|_| is_rank);
    let value = name.map_or_else(|| fill.to_string(), String::clone);
    Some(format!("{} {value}", feature.name))
}

/// "5 splits, 6 leaves, depth 3; margin zones, probabilistic routing".
pub(crate) fn shape(model: &Model) -> String {
    let tree = model.tree();
    let leaves = tree.n_leaves();
    let leaves_text = if leaves == 1 { "1 leaf".to_owned() } else { format!("{leaves} leaves") };
    let depth = tree.depth();
    let zone = &model.recipe().params.zone;
    let scale = match zone.scale {
        1.0 => String::new(),
        scale => format!(" times {scale}"),
    };
    let answers = match model.recipe().leaves {
        Leaves::Counts => String::new(),
        leaves => format!(", {leaves} leaves"),
    };
    let errors = if model.schema().has_categories() && zone.kind != ZoneKind::None {
        format!(", category error {}", zone.category_error)
    } else {
        String::new()
    };
    format!(
        "{}, {leaves_text}, depth {depth}; {} zones{scale}{errors}{answers}, {} routing",
        counted(tree.n_nodes() - leaves, "split"),
        zone.kind.as_str(),
        model.routing()
    )
}

/// "scale 0.8, category error 2 and depth 4 chosen in 3 x 5 inner folds: log-loss 0.4279, without zones 0.4931".
pub(crate) fn chosen(model: &Model) -> Option<String> {
    let choice = model.choice()?;
    let (best, auto) = (choice.best()?, model.recipe().auto);
    let mut parts = Vec::new();
    if auto.zone_scale {
        parts.push(format!("scale {}", best.zone_scale));
        parts.extend(best.category_error.map(|error| format!("category error {error}")));
    }
    if auto.max_depth {
        parts.push(best.max_depth.map_or("no limit".to_owned(), |depth| format!("depth {depth}")));
    }
    let has_zones = |candidate: &CandidateLoss| {
        candidate.zone_scale > 0.0 || candidate.category_error.is_some_and(|error| error > 0.0)
    };
    let mut others = choice.candidates.iter();
    let bare = others.find(|other| other.max_depth == best.max_depth && !has_zones(other));
    let bare = bare.filter(|_| has_zones(&best));
    let beside = bare.map_or(String::new(), |bare| format!(", without zones {:.4}", bare.log_loss));
    Some(format!(
        "{} chosen in {} x {} inner folds: log-loss {:.4}{beside}",
        joined(&parts),
        choice.repeats,
        choice.folds,
        best.log_loss
    ))
}

/// "a, b and c".
fn joined(parts: &[String]) -> String {
    match parts {
        [first @ .., before_last, last] => {
            let first: String = first.iter().map(|part| format!("{part}, ")).collect();
            format!("{first}{before_last} and {last}")
        }
        _ => parts.concat(),
    }
}

/// The first dozen, and the number of the rest.
fn listed(items: &[String], separator: &str) -> String {
    const SHOWN: usize = 12;
    let more = items.len().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{tail}", items[..items.len().min(SHOWN)].join(separator))
}
