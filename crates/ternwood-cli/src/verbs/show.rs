//! `ternwood show`: a model as text, picture or page.

use crate::cli::Usage;
use crate::json::ModelDocument;
use crate::model_file::{EditedArgs, ModelFile, name};
use crate::output::{NamedFormat, OutputArgs};
use crate::session::Session;
use crate::style;
use crate::summary::{Summary, legend};
use anyhow::Result;
use clap::ValueEnum;
use serde::Serialize;
use std::path::PathBuf;
use ternwood::Model;
use ternwood::export::{SummaryOptions, TextOptions, is_readable, to_summary, to_text};
use ternwood::model::SingleTree;
use ternwood_figures::{ImageFormat, TreeFigure, converted, tree_svg};
use ternwood_page::Page;

/// Look at a model: as text, picture or page
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ternwood show model.json
  ternwood show model.json --depth 2
  ternwood show model.json -o tree.svg
  ternwood show model.json -o tree.pdf
  ternwood show model.json -o tree.html
  ternwood show model.json --json
  ternwood show forest.safetensors
  ternwood show forest.safetensors --tree 1 -o first.svg

`ternwood export` writes a model for other programs.")]
pub(crate) struct ShowArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    edited: EditedArgs,
    /// Show one tree of a forest, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    tree: Option<u64>,
    /// How to show it [default: by the name of the output; text on standard output]
    #[arg(long, value_enum)]
    format: Option<ShowFormat>,
    /// Describe the model as JSON: what it is made of, its metadata, recipe and verdict
    #[arg(long, conflicts_with_all = ["format", "depth", "full"])]
    json: bool,
    /// How many levels of tests to show, in text and pictures [default: all of a small tree; in text,
    /// a tree of more than 32 leaves is summarised by the rules with the most rows]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Show everything in text: the whole tree, all classes and categories, however many there are
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq)]
enum ShowFormat {
    /// Summary and tree, for people
    Text,
    /// Picture of the tree
    Svg,
    /// The same as pixels, if cairo or a browser is at hand
    Png,
    /// The same for the printer, if cairo or a browser is at hand
    Pdf,
    /// Page that shows the tree and answers rows: see `ternwood page`
    Html,
}

impl NamedFormat for ShowFormat {
    const ENDINGS: &[(&str, Self)] = &[
        ("txt", Self::Text),
        ("svg", Self::Svg),
        ("png", Self::Png),
        ("pdf", Self::Pdf),
        ("html", Self::Html),
        ("htm", Self::Html),
    ];
    const UNNAMED: Option<Self> = Some(Self::Text);
}

pub(crate) fn run(args: &ShowArgs, session: &Session) -> Result<()> {
    if args.json {
        return write_json(args, session);
    }
    let format = args.output.format(args.format)?;
    let output = args.output.create()?;
    let mut model = ModelFile::read(&args.model, args.edited)?.model;
    if let Some(number) = args.tree {
        model = one_of(&model, number)?;
    }
    match (format, model.single_tree()) {
        (ShowFormat::Text, Err(_)) => {
            output.complete_coloured(&Summary::of(&model, args.full).text())?;
        }
        (_, Err(_)) => {
            let (trees, name) = (model.trees().len(), format.to_possible_value());
            let name = name.as_ref().map_or("this", |name| name.get_name());
            let problem = format!(
                "{name} shows a single tree, and the model is a forest of {trees}; choose one of them with --tree N"
            );
            return Err(Usage(problem).into());
        }
        (ShowFormat::Text, Ok(tree)) => output.complete_coloured(&text(tree, args))?,
        (ShowFormat::Svg, _) => output.complete(tree_svg(&model, None, &args.figure())?)?,
        (ShowFormat::Png, _) => {
            let svg = tree_svg(&model, None, &args.figure())?;
            output.complete(converted(&svg, ImageFormat::Png)?)?;
        }
        (ShowFormat::Pdf, _) => {
            let svg = tree_svg(&model, None, &args.figure())?;
            output.complete(converted(&svg, ImageFormat::Pdf)?)?;
        }
        (ShowFormat::Html, _) => output.complete(Page::new(&model)?.html()?)?,
    }
    if let Some(path) = args.output.file() {
        let left_out = match (format, model.single_tree()) {
            (ShowFormat::Svg | ShowFormat::Png | ShowFormat::Pdf, Ok(tree)) => {
                left_out("drawn", args.figure().drawn_depth(tree.tree()), tree)
            }
            _ => None,
        };
        let left_out = left_out.map_or_else(String::new, |left_out| format!("; {left_out}"));
        session.note(format_args!("wrote {}{left_out}", path.display()));
    }
    Ok(())
}

/// A model for other programs.
#[derive(Serialize)]
struct Document {
    model: String,
    #[serde(flatten)]
    document: ModelDocument,
}

fn write_json(args: &ShowArgs, session: &Session) -> Result<()> {
    let output = args.output.create()?;
    let mut model = ModelFile::read(&args.model, args.edited)?.model;
    if let Some(number) = args.tree {
        model = one_of(&model, number)?;
    }
    let document = Document { model: name(&args.model), document: ModelDocument::new(&model)? };
    output.complete(serde_json::to_string_pretty(&document)? + "\n")?;
    if let Some(path) = args.output.file() {
        session.note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

/// A tree of a forest, counted from 1.
pub(super) fn one_of(model: &Model, number: u64) -> Result<Model> {
    let trees = model.trees().len();
    if model.ensemble().is_single() {
        return Err(Usage("--tree is for forests; this model is a single tree".to_owned()).into());
    }
    let tree = usize::try_from(number - 1).ok().and_then(|index| model.tree_alone(index));
    tree.ok_or_else(|| Usage(format!("there is no tree {number}; the forest has {trees}")).into())
}

impl ShowArgs {
    fn figure(&self) -> TreeFigure {
        TreeFigure { max_depth: self.depth, ..TreeFigure::default() }
    }

    fn text_options(&self) -> TextOptions {
        let usual = if self.full { usize::MAX } else { DEPTH_SHOWN };
        let max_depth = self.depth.unwrap_or(usual);
        TextOptions { max_depth, width: Some(style::WIDTH), all_categories: self.full }
    }
}

/// Deeper trees are truncated, with a note, unless a depth is given.
const DEPTH_SHOWN: usize = 12;

fn text(model: SingleTree<'_>, args: &ShowArgs) -> String {
    let (tree, notes) = tree_text(model, args);
    let summary = Summary::of(&model, args.full).text();
    format!("{summary}\n{}{}", style::tree(&tree), style::notes(&notes))
}

/// The tree, what its signs mean and what was left out of it.
fn tree_text(model: SingleTree<'_>, args: &ShowArgs) -> (String, Vec<String>) {
    let options = args.text_options();
    let mut notes = legend(model);
    if !is_readable(model.tree()) && args.depth.is_none() && !args.full {
        let (tree, note) = summary_of_rules(model);
        notes.push(note);
        return (tree, notes);
    }
    let tree = to_text(model, options);
    notes.extend(left_out("shown", options.max_depth, model));
    if tree != to_text(model, TextOptions { all_categories: true, ..options }) {
        let note =
            "Some lists of categories are cut short; `ternwood show --full` has all of them.";
        notes.push(note.to_owned());
    }
    (tree, notes)
}

/// The rules with the most rows, and how to see the rest of the tree.
fn summary_of_rules(model: SingleTree<'_>) -> (String, String) {
    let options = SummaryOptions { width: Some(style::WIDTH), ..SummaryOptions::default() };
    let more = "`ternwood show --full` prints the whole tree, `ternwood show --depth 3` its first \
                levels of tests.";
    (to_summary(model, options), more.to_owned())
}

/// "12 of 25 levels of tests are shown; `ternwood show --depth 25` has all of them.", unless all are.
fn left_out(how: &str, depth: usize, model: SingleTree<'_>) -> Option<String> {
    let levels = model.tree().depth();
    (depth < levels).then(|| {
        format!(
            "{depth} of {levels} levels of tests are {how}; `ternwood show --depth {levels}` has \
             all of them."
        )
    })
}
