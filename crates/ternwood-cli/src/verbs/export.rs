//! `ternwood export`: a model for other programs: SQL, ONNX, rules, JSON, arrays, graph, table, text.

use crate::cli::Usage;
use crate::model_file::{EditedArgs, ModelFile};
use crate::output::{NamedFormat, OutputArgs};
use crate::session::Session;
use crate::verbs::show::one_of;
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use std::io::IsTerminal;
use std::path::PathBuf;
use ternwood::Model;
use ternwood::export::onnx::{OnnxOptions, is_slow, to_onnx};
use ternwood::export::sql::{Dialect, SqlOptions, to_sql};
use ternwood::export::{TextOptions, to_dot, to_table, to_text};
use ternwood::model::SingleTree;
use ternwood::rules::Rules;

/// Write a model for other programs: SQL, ONNX, rules, JSON, Graphviz, table, text
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ternwood export model.json --to rules
  ternwood export model.json --to sql --table visits --dialect postgres --key id
  ternwood export model.json -o model.onnx
  ternwood export model.json -o public.json --private
  ternwood export forest.safetensors --tree 1 --to rules
  ternwood export model.json --to dot | dot -Tpdf > tree.pdf")]
pub(crate) struct ExportArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    edited: EditedArgs,
    /// What to write [default: by the name of the output]
    #[arg(long, value_enum)]
    to: Option<ExportFormat>,
    /// Export one tree of a forest, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    tree: Option<u64>,
    /// In sql, the table to ask
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// In sql, the schema of the table
    #[arg(long, value_name = "NAME", requires = "table")]
    schema: Option<String>,
    /// In sql, the dialect
    #[arg(long, value_enum, default_value_t = SqlDialect::Generic)]
    dialect: SqlDialect,
    /// In sql, a column to pass through, such as a key; may be given several times
    #[arg(long = "key", value_name = "COLUMN")]
    keys: Vec<String>,
    /// In json and safetensors, leave out everything about single training rows: for a model to be
    /// published
    #[arg(long)]
    private: bool,
    /// In onnx, also write models of more than 200,000 nodes and files of more than 100 MB
    #[arg(long)]
    force_large: bool,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq)]
enum ExportFormat {
    /// Query over a table, with the same answers and verdicts
    Sql,
    /// Graph for scoring services, with the same answers and verdicts
    Onnx,
    /// One rule per leaf, in words
    Rules,
    /// One rule per leaf, as data
    RulesJson,
    /// The model file itself
    Json,
    /// The model file as arrays, as forests are saved
    Safetensors,
    /// Graph for Graphviz
    Dot,
    /// Comma-separated values, one line per node
    Csv,
    /// The tree, indented, with all categories
    Text,
}

#[derive(ValueEnum, Clone, Copy, PartialEq)]
enum SqlDialect {
    Sqlite,
    Duckdb,
    Postgres,
    /// What the standard says
    Generic,
}

impl From<SqlDialect> for Dialect {
    fn from(dialect: SqlDialect) -> Self {
        match dialect {
            SqlDialect::Sqlite => Self::Sqlite,
            SqlDialect::Duckdb => Self::Duckdb,
            SqlDialect::Postgres => Self::Postgres,
            SqlDialect::Generic => Self::Generic,
        }
    }
}

impl NamedFormat for ExportFormat {
    const OPTION: &str = "--to";
    const ENDINGS: &[(&str, Self)] = &[
        ("sql", Self::Sql),
        ("onnx", Self::Onnx),
        ("json", Self::Json),
        ("safetensors", Self::Safetensors),
        ("dot", Self::Dot),
        ("gv", Self::Dot),
        ("csv", Self::Csv),
        ("txt", Self::Text),
    ];
    const UNNAMED: Option<Self> = None;
}

pub(crate) fn run(args: &ExportArgs, session: &Session) -> Result<()> {
    let format = args.output.format(args.to)?;
    args.check(format)?;
    let output = args.output.create()?;
    let mut model = ModelFile::read(&args.model, args.edited)?.model;
    if let Some(number) = args.tree {
        model = one_of(&model, number)?;
    }
    if args.private {
        model = model.private();
    }
    output.complete(args.written(format, &model)?)?;
    if let Some(path) = args.output.file() {
        session.note(format_args!("wrote {}", path.display()));
    }
    if format == ExportFormat::Onnx && is_slow(&model) {
        session.note("in ONNX this model is many times slower than in ternwood; measure it before you serve it");
    }
    Ok(())
}

impl ExportArgs {
    /// Refuses options that do not go together.
    fn check(&self, format: ExportFormat) -> Result<()> {
        let refuse = |problem: &str| Err(Usage(problem.to_owned()).into());
        let is_sql = format == ExportFormat::Sql;
        if is_sql && self.table.is_none() {
            return refuse("sql needs the name of the table to ask: --table NAME");
        }
        if !is_sql && (self.table.is_some() || !self.keys.is_empty()) {
            return refuse("--table and --key are for --to sql");
        }
        let model_file = [ExportFormat::Json, ExportFormat::Safetensors].contains(&format);
        if self.private && !model_file {
            return refuse(
                "--private is for json and safetensors; the other formats hold the tree and nothing else",
            );
        }
        if self.force_large && format != ExportFormat::Onnx {
            return refuse("--force-large is for --to onnx");
        }
        let binary = [ExportFormat::Onnx, ExportFormat::Safetensors].contains(&format);
        if binary && self.output.file().is_none() && std::io::stdout().is_terminal() {
            return refuse("this format is not for terminals; name a file with -o");
        }
        Ok(())
    }

    fn written(&self, format: ExportFormat, model: &Model) -> Result<Vec<u8>> {
        Ok(match format {
            ExportFormat::Sql => to_sql(model, &self.sql())?.into_bytes(),
            ExportFormat::Onnx => self.onnx(model)?,
            ExportFormat::Json => model.to_json().into_bytes(),
            ExportFormat::Safetensors => model.to_safetensors(),
            _ => of_tree(format, single(format, model)?).into_bytes(),
        })
    }

    fn onnx(&self, model: &Model) -> Result<Vec<u8>> {
        let force_large = self.force_large;
        to_onnx(model, OnnxOptions { force_large }).map_err(|error| match force_large {
            true => error.into(),
            false => anyhow!("{error}; --force-large writes it anyway"),
        })
    }

    fn sql(&self) -> SqlOptions {
        SqlOptions {
            table: self.schema.iter().chain(&self.table).cloned().collect(),
            dialect: self.dialect.into(),
            keys: self.keys.clone(),
            columns: None,
        }
    }
}

/// What only a single tree has.
fn of_tree(format: ExportFormat, tree: SingleTree<'_>) -> String {
    match format {
        ExportFormat::Rules => Rules::of(tree).to_string(),
        ExportFormat::RulesJson => Rules::of(tree).to_json(),
        ExportFormat::Dot => to_dot(tree),
        ExportFormat::Csv => to_table(tree),
        _ => to_text(tree, TextOptions { all_categories: true, ..TextOptions::default() }),
    }
}

fn single(format: ExportFormat, model: &Model) -> Result<SingleTree<'_>> {
    model.single_tree().map_err(|_| {
        let (trees, name) = (model.trees().len(), format.to_possible_value());
        let name = name.as_ref().map_or("this", |name| name.get_name());
        Usage(format!(
            "--to {name} writes a single tree, and the model is a forest of {trees}; choose one of them with --tree N"
        ))
        .into()
    })
}
