//! `ternwood look`: what is in a table, and what `fit` would make of it.

mod document;
mod report;

use crate::cli::{Usage, in_words};
use crate::column_table::Role;
use crate::columns::{ColumnArgs, ColumnPlan};
use crate::json;
use crate::output::{Output, STDOUT};
use crate::reading::{DataArgs, UnlabelledArgs, remedy};
use crate::schema_file::{SchemaColumn, SchemaFile, SchemaKind};
use crate::session::Session;
use crate::warnings;
use anyhow::Result;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use ternwood::{ClassName, Feature};
use ternwood_table::{
    Column, DecidedBy, Error, ErrorKind, FileLayout, MissingPolicy, Profile, ReadAs, Table, Warning,
};

/// See what is in a table, and what `fit` would make of it
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ternwood look patients.csv
  ternwood look patients.csv --target ill
  ternwood look patients.csv -t ill --json
  ternwood look patients.csv -t ill --nominal ward --drop id
  ternwood look patients.csv -t ill --write-schema schema.json
  ternwood fit patients.csv --schema schema.json -o model.json")]
pub(crate) struct LookArgs {
    #[command(flatten)]
    data: DataArgs,
    /// Column with the classes that `fit` is to predict
    #[arg(long, short, value_name = "COL")]
    target: Option<String>,
    /// Show all columns and all warnings, however many there are
    #[arg(long)]
    all: bool,
    /// Write what the columns are to this file, to be edited and given to --schema; `-` means
    /// standard output, without the report
    #[arg(long, value_name = "FILE")]
    write_schema: Option<PathBuf>,
    /// Replace the schema file if it exists
    #[arg(long)]
    force: bool,
    /// Print what is in the table as JSON, with all columns, or the error if it cannot be read
    #[arg(long, conflicts_with = "all")]
    json: bool,
    #[command(flatten)]
    unlabelled: UnlabelledArgs,
    #[command(flatten)]
    columns: ColumnArgs,
}

pub(crate) fn run(args: &LookArgs, session: &Session) -> Result<()> {
    if !args.json {
        return look(args, session).map(drop);
    }
    if args.writes_schema_to_stdout() {
        let problem = "--json prints to standard output, where the schema goes; name a file with --write-schema";
        return Err(Usage(problem.to_owned()).into());
    }
    let document = look(args, session).map(|look| {
        session.warn(warnings::all(&look.warnings));
        look.into_document()
    });
    json::write(Output::file(Path::new(STDOUT), false)?, &args.data.name(), session, document)
}

fn look(args: &LookArgs, session: &Session) -> Result<Look> {
    let plan = args.columns.plan(&args.data, args.target.as_deref())?;
    // Fail before the work, not after it.
    let schema_file = args.write_schema.as_ref();
    let schema_file = schema_file.map(|path| Output::file(path, args.force)).transpose()?;
    let progress = session.progress(format!("reading {}", args.data.name()), None);
    let look = Look::at(args, &plan, session)?;
    drop(progress);
    if !args.json && !args.writes_schema_to_stdout() {
        Output::file(Path::new(STDOUT), false)?.complete_coloured(&look.report(args))?;
    }
    if let (Some(file), Some(path)) = (schema_file, &args.write_schema) {
        file.complete(look.schema.to_json())?;
        if path != Path::new(STDOUT) {
            session.note(look.after_writing(args, path));
        }
    }
    Ok(look)
}

impl LookArgs {
    fn writes_schema_to_stdout(&self) -> bool {
        self.write_schema.as_deref() == Some(Path::new(STDOUT))
    }
}

/// Everything there is to say about a table.
struct Look {
    layout: FileLayout,
    rows: usize,
    columns: Vec<(Profile, Role)>,
    classes: Vec<(ClassName, usize)>,
    warnings: Vec<Warning>,
    /// Why `fit` would refuse the table, if it would.
    refusal: Option<String>,
    schema: SchemaFile,
}

impl Look {
    fn at(args: &LookArgs, plan: &ColumnPlan, session: &Session) -> Result<Self> {
        // Columns that are not to be learnt from can be looked at all the same.
        let options = plan.read_options(&args.data, |read_as| match read_as {
            ReadAs::Drop => ReadAs::Infer,
            read_as => read_as.clone(),
        });
        let source = args.data.source()?;
        let layout = FileLayout::of(&source, &options)?;
        let mut table = plan.read(&source, options, session)?;
        let (rows, target) = (table.n_rows(), plan.target.as_deref());
        let profiles: Vec<Profile> = table.columns().iter().map(Profile::of).collect();
        let is_weights = |name: &str| plan.weights.as_deref() == Some(name);
        let is_aside = |name: &str| plan.is_dropped(name) || is_weights(name);
        let names = profiles.iter().map(|profile| &*profile.name);
        let aside = names.filter(|name| is_aside(name)).map(|name| table.take_column(name));
        let aside = aside.collect::<Result<Vec<Column>, Error>>()?;
        let learnt = Learnt::from(&mut table, target, args.unlabelled)?;
        let role = |name: &str| match name {
            name if target == Some(name) => Role::Target,
            name if is_weights(name) => Role::Weights,
            name if learnt.features.contains(name) => Role::Feature,
            _ => Role::LeftOut,
        };
        let by_name: HashMap<&str, &Column> =
            table.columns().iter().chain(&aside).map(|column| (column.name(), column)).collect();
        let listed = profiles
            .iter()
            .filter_map(|profile| listed(by_name.get(&*profile.name)?, role(&profile.name)));
        let schema = SchemaFile { target: target.map(str::to_owned), columns: listed.collect() };
        let with_role = |profile: Profile| {
            let role = role(&profile.name);
            (profile, role)
        };
        let columns = profiles.into_iter().map(with_role).collect();
        let Learnt { classes, mut warnings, refusal, .. } = learnt;
        warnings.retain(|warning| !warning.column().is_some_and(is_aside));
        Ok(Self { layout, rows, columns, classes, warnings, refusal, schema })
    }
}

/// What `fit` would learn from a table.
struct Learnt {
    features: HashSet<String>,
    classes: Vec<(ClassName, usize)>,
    warnings: Vec<Warning>,
    refusal: Option<String>,
}

impl Learnt {
    fn from(table: &mut Table, target: Option<&str>, unlabelled: UnlabelledArgs) -> Result<Self> {
        let keep = MissingPolicy::Keep;
        let labelled = target.map_or(Ok(()), |target| unlabelled.drop_rows(table, target));
        let learnt = labelled.and_then(|()| match target {
            _ if table.n_rows() == 0 => {
                let file = table.file().to_owned();
                Err(Error::from(ErrorKind::Empty { file, what: "rows" }).into())
            }
            Some(target) => {
                let (schema, warnings) = table.learn_schema(target, keep).map_err(remedy)?;
                Ok((schema.features().to_vec(), warnings))
            }
            None => Ok(table.learn_features(None, keep)?),
        });
        let (learnt, refusal) = match learnt {
            Ok(learnt) => (learnt, None),
            // There is still something to say about the columns of a table that `fit` refuses.
            Err(problem) => (table.learn_features(target, keep)?, Some(in_short(&problem))),
        };
        let (features, more): (Vec<Feature>, Vec<Warning>) = learnt;
        let features = features.into_iter().map(|feature| feature.name).collect();
        let classes = target.map(|target| table.class_counts(target).unwrap_or_default());
        let warnings = match table.n_rows() {
            0 => Vec::new(),
            _ => table.warnings().iter().cloned().chain(more).collect(),
        };
        Ok(Self { features, classes: classes.unwrap_or_default(), warnings, refusal })
    }
}

/// Why `fit` refuses a table, without the reasons that stand beside it as warnings.
fn in_short(problem: &anyhow::Error) -> String {
    match problem.downcast_ref().map(Error::kind) {
        Some(ErrorKind::NoFeatures { file, .. }) => {
            format!("{file}: there is no column to learn from")
        }
        _ => in_words(problem.as_ref()),
    }
}

/// The entry of a column in the schema file. The target needs none unless the user has said what it
/// is.
fn listed(column: &Column, role: Role) -> Option<SchemaColumn> {
    let is_used = matches!(role, Role::Feature | Role::Target);
    let entry = SchemaColumn::of(column, is_used);
    match (role, column.decided_by(), &entry.kind) {
        (Role::Target, DecidedBy::User, Some(SchemaKind::Boolean)) => {
            Some(SchemaColumn { kind: Some(SchemaKind::Categories), ..entry })
        }
        (Role::Target, DecidedBy::Values | DecidedBy::File, _) => None,
        _ => Some(entry),
    }
}
