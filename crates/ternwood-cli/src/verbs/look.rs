//! `ternwood look`: what is in a table, and what `fit` would make of it.

use crate::cli::{Usage, in_words};
use crate::column_table::{self, Role, decided_by, share};
use crate::columns::{ColumnArgs, ColumnPlan};
use crate::output::{Output, STDOUT};
use crate::reading::{DataArgs, UnlabelledArgs, counted, remedy};
use crate::schema_file::{SchemaColumn, SchemaFile, SchemaKind};
use crate::session::Session;
use crate::shell::quoted;
use crate::style::{self, WIDTH, one_line};
use crate::{json, warnings};
use anyhow::Result;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use ternwood::{ClassName, Feature};
use ternwood_table::{
    Column, ColumnKind, DecidedBy, Error, ErrorKind, FileLayout, Format, MissingPolicy, Profile,
    ReadAs, Table, Warning,
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

// What `look` finds, for other programs.

#[derive(Serialize)]
struct LookDocument {
    format: &'static str,
    /// What separates the fields of a text table.
    delimiter: Option<char>,
    /// Whether the first line of a text table has the names.
    header: Option<bool>,
    rows: usize,
    columns: Vec<ColumnDocument>,
    target: Option<String>,
    /// The classes of the target, with their rows.
    classes: Vec<ClassRows>,
    /// Why `fit` would refuse the table; `null` if it would not.
    refusal: Option<String>,
}

#[derive(Serialize)]
struct ColumnDocument {
    name: String,
    kind: &'static str,
    /// Who says so: `data`, `file` or `you`.
    by: &'static str,
    /// What `fit` does with it.
    fit: &'static str,
    missing: usize,
    /// The number of different values; at least this many unless `is_exact`.
    distinct: usize,
    is_exact: bool,
    /// The number of rows with the commonest value.
    commonest: Option<usize>,
    /// Some values, the commonest first.
    values: Vec<String>,
}

#[derive(Serialize)]
struct ClassRows {
    class: ClassName,
    rows: usize,
}

impl ColumnDocument {
    fn new(profile: Profile, role: Role) -> Self {
        Self {
            kind: profile.kind.as_str(),
            by: decided_by(profile.decided_by),
            fit: role.word(),
            missing: profile.missing,
            distinct: profile.distinct,
            is_exact: profile.is_exact,
            commonest: profile.commonest,
            values: profile.examples,
            name: profile.name,
        }
    }
}

impl Look {
    fn into_document(self) -> LookDocument {
        let columns = self.columns.into_iter();
        let classes = self.classes.into_iter();
        LookDocument {
            format: match self.layout.format {
                Format::Csv | Format::Tsv => "text",
                Format::Arff => "arff",
                Format::Parquet => "parquet",
            },
            delimiter: self.layout.text.map(|text| text.delimiter),
            header: self.layout.text.map(|text| text.header),
            rows: self.rows,
            columns: columns.map(|(profile, role)| ColumnDocument::new(profile, role)).collect(),
            target: self.schema.target,
            classes: classes.map(|(class, rows)| ClassRows { class, rows }).collect(),
            refusal: self.refusal,
        }
    }
}

// The report of `look`, for terminals of 80 columns.

/// Tables with more columns are cut to this many lines, and that of the target.
const MANY: usize = 40;
const SHOWN: usize = 20;

const LEGEND: &str = "\
by: who says what the column is: its data, the file that declares it, or you.
most: the share of the commonest value, which comes first among the values.
";

impl Look {
    fn report(&self, args: &LookArgs) -> String {
        let head = style::heading(self.head(args));
        let mut text = format!("{head}\n\n{}", self.table(args.all));
        text += &format!("\n{}", style::dim(LEGEND));
        text += &self.classes_or_hint().map_or_else(String::new, |text| hanging(&text));
        // What the classes say already is not said again.
        let is_new = |warning: &&Warning| !matches!(warning, Warning::NoClass { .. });
        let news: Vec<Warning> = self.warnings.iter().filter(is_new).cloned().collect();
        let mut lines = if args.all { warnings::all(&news) } else { warnings::cut(&news, "--all") };
        let refusal = self.refusal.iter();
        lines.extend(refusal.map(|why| format!("`fit` refuses this table: {}", one_line(why))));
        if !lines.is_empty() {
            text.push('\n');
        }
        text + &lines.iter().map(|line| warnings::paragraph(line, WIDTH)).collect::<String>()
    }

    /// "patients.csv: 48 rows, 5 columns; text separated by commas".
    fn head(&self, args: &LookArgs) -> String {
        let format = match (self.layout.format, self.layout.text) {
            (Format::Arff, _) => "ARFF".to_owned(),
            (Format::Parquet, _) => "Parquet".to_owned(),
            (_, Some(text)) if self.columns.len() > 1 => match text.delimiter {
                '\t' => "text separated by tabs".to_owned(),
                ',' => "text separated by commas".to_owned(),
                ';' => "text separated by semicolons".to_owned(),
                other => format!("text separated by '{other}'"),
            },
            _ => "text".to_owned(),
        };
        let without_names = self.layout.text.is_some_and(|text| !text.header);
        format!(
            "{}: {}, {}; {format}{}",
            args.data.name(),
            counted(self.rows, "row"),
            counted(self.columns.len(), "column"),
            if without_names { ", without a line of names" } else { "" }
        )
    }

    /// The columns; the first ones if there are many.
    fn table(&self, all: bool) -> String {
        let is_shown = |(index, (_, role)): &(usize, &(_, Role))| {
            all || self.columns.len() <= MANY || *index < SHOWN || *role == Role::Target
        };
        let (shown, cut): (Vec<_>, Vec<_>) = self.columns.iter().enumerate().partition(is_shown);
        let shown = shown.into_iter().map(|(_, (profile, role))| (profile, *role));
        let mut text = column_table::full(shown);
        if !cut.is_empty() {
            let kinds = counts(cut.iter().map(|(_, (profile, _))| profile.kind));
            let line = format!("... and {} more columns ({kinds}); see all with --all", cut.len());
            text += &format!("{}\n", style::dim(line));
        }
        text
    }

    fn classes_or_hint(&self) -> Option<String> {
        let Some(target) = &self.schema.target else {
            let hint = "Say --target COL to see its classes, and whether a column gives them away.";
            return Some(hint.to_owned());
        };
        if self.classes.is_empty() {
            return None;
        }
        let unlabelled = self.warnings.iter().find_map(|warning| match warning {
            Warning::NoClass { rows: 1, .. } => Some("; 1 row has none and is left out".to_owned()),
            Warning::NoClass { rows, .. } => {
                Some(format!("; {rows} rows have none and are left out"))
            }
            _ => None,
        });
        Some(described(&one_line(target), &self.classes) + &unlabelled.unwrap_or_default())
    }

    /// What to do with the schema file.
    fn after_writing(&self, args: &LookArgs, path: &Path) -> String {
        let path = quoted(&path.display().to_string());
        let data = quoted(&args.data.data.display().to_string());
        let target = if self.schema.target.is_some() { "" } else { " --target COL" };
        format!(
            "wrote {path}; edit it if need be, then: ternwood fit {data}{target} --schema {path} \
             -o model.json"
        )
    }
}

/// "classes of 'ill': no 29 (60 %), yes 19 (40 %)"; only the extremes if there are many.
fn described(target: &str, classes: &[(ClassName, usize)]) -> String {
    const LISTED: usize = 12;
    const EXTREMES: usize = 3;
    let rows: usize = classes.iter().map(|(_, rows)| rows).sum();
    let class = |(name, count): &(ClassName, usize)| {
        let share = share(*count as f64 / rows as f64);
        // No line is broken before the share.
        format!("{} {count}\u{a0}({share})", one_line(&name.to_string()))
    };
    let list = |classes: &[(ClassName, usize)]| -> String {
        classes.iter().map(class).collect::<Vec<_>>().join(", ")
    };
    if classes.len() <= LISTED {
        return format!("classes of '{target}': {}", list(classes));
    }
    let mut sorted = classes.to_vec();
    // Classes of the same size keep their order.
    sorted.sort_by_key(|(_, rows)| Reverse(*rows));
    format!(
        "{} classes of '{target}': the largest are {}; the smallest are {}",
        classes.len(),
        list(&sorted[..EXTREMES]),
        list(&sorted[sorted.len() - EXTREMES..])
    )
}

/// A paragraph whose later lines are indented.
fn hanging(text: &str) -> String {
    format!("\n{}\n", style::paragraph(text).replace('\u{a0}', " "))
}

/// "number 12, date 3".
fn counts(kinds: impl Iterator<Item = ColumnKind>) -> String {
    let mut counts: BTreeMap<ColumnKind, usize> = BTreeMap::new();
    kinds.for_each(|kind| *counts.entry(kind).or_default() += 1);
    let counts: Vec<String> =
        counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    counts.join(", ")
}
