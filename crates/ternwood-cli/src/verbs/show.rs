//! `ternwood show`: a model as text, picture, graph, table or JSON.

use super::calibrate::verdict_report;
use crate::model_file::ModelFile;
use crate::output::OutputArgs;
use crate::reading::counted;
use crate::style;
use anyhow::Result;
use clap::ValueEnum;
use std::path::PathBuf;
use ternwood::Model;
use ternwood::dataset::FeatureKind;
use ternwood::export::{TextOptions, to_dot, to_table, to_text};
use ternwood::recipe::Leaves;
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
    let nominal = schema.features().iter().filter(|f| !f.kind.is_number()).count();
    let categories = match nominal {
        0 => String::new(),
        n => format!(", {n} of them nominal"),
    };
    let classes: Vec<String> = schema.classes().iter().map(ToString::to_string).collect();
    let target = schema.target().map_or_else(String::new, |target| format!(" of '{target}'"));
    let mut lines = vec![
        format!("classes{target}: {}", listed(&classes)),
        format!("{}{categories}", counted(schema.n_features(), "feature")),
        shape(model),
    ];
    lines.extend(chosen(model));
    lines.extend(verdict_report(model).lines().map(str::to_owned));
    for feature in schema.features() {
        if let FeatureKind::Categories(categories) = &feature.kind {
            let codes: Vec<String> = (categories.iter().enumerate())
                .map(|(code, name)| format!("{code} {name}"))
                .collect();
            lines.push(format!("codes of {}: {}", feature.name, listed(&codes)));
        }
    }
    lines.iter().map(|line| format!("{}\n", style::one_line(line))).collect()
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
    format!(
        "{}, {leaves_text}, depth {depth}; {} zones{scale}{answers}, {} routing",
        counted(tree.n_nodes() - leaves, "split"),
        zone.kind.as_str(),
        model.routing()
    )
}

/// "scale 0.8 and depth 4 chosen in 3 x 5 inner folds: log-loss 0.4279, without zones 0.4931".
pub(crate) fn chosen(model: &Model) -> Option<String> {
    let choice = model.choice()?;
    let (best, auto) = (choice.best()?, model.recipe().auto);
    let mut parts = Vec::new();
    if auto.zone_scale {
        parts.push(format!("scale {}", best.zone_scale));
    }
    if auto.max_depth {
        parts.push(best.max_depth.map_or("no limit".to_owned(), |depth| format!("depth {depth}")));
    }
    let bare = choice
        .candidates
        .iter()
        .find(|candidate| candidate.max_depth == best.max_depth && candidate.zone_scale == 0.0);
    let bare = bare.filter(|bare| bare.zone_scale != best.zone_scale);
    let beside = bare.map_or(String::new(), |bare| format!(", without zones {:.4}", bare.log_loss));
    Some(format!(
        "{} chosen in {} x {} inner folds: log-loss {:.4}{beside}",
        parts.join(" and "),
        choice.repeats,
        choice.folds,
        best.log_loss
    ))
}

/// The first dozen, and the number of the rest.
fn listed(items: &[String]) -> String {
    const SHOWN: usize = 12;
    let more = items.len().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{tail}", items[..items.len().min(SHOWN)].join(", "))
}
