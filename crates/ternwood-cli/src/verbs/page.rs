//! `ternwood page`: a model as one HTML file that answers by itself.

use crate::cli::Usage;
use crate::files;
use crate::model_file::{EditedArgs, ModelFile};
use crate::output::OutputArgs;
use crate::reading::{DataArgs, LayoutArgs, UnlabelledArgs, described};
use crate::session::Session;
use crate::verbs::show::one_of;
use anyhow::Result;
use std::path::{Path, PathBuf};
use ternwood::{Dataset, Model};
use ternwood_page::Page;

/// Write a model as one HTML file that shows it and answers rows, without a network
#[derive(clap::Args)]
#[command(after_help = "\
The page shows the tree, answers rows that are typed or dropped as a CSV file,
and tells why. With --data, the verdict can be chosen on it, along the curve of
errors against decided rows. What is typed or dropped stays in the browser; of
the evaluation rows only answers are in the file, no features, and of the
training rows only counts.

Examples:
  ternwood page model.json -o page.html
  ternwood page model.json --data held-out.csv -o page.html
  ternwood page forest.safetensors --tree 1 -o first.html")]
pub(crate) struct PageArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    edited: EditedArgs,
    /// Table with labelled rows to choose the verdict by: rows that the model was not trained on
    #[arg(long, value_name = "EVAL")]
    data: Option<PathBuf>,
    /// Column with the classes of EVAL [default: the one the model was trained on]
    #[arg(long, short, value_name = "COL", requires = "data")]
    target: Option<String>,
    /// The title [default: the name of the model, or else of the target column]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The page of one tree of a forest, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    tree: Option<u64>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    layout: LayoutArgs,
    #[command(flatten)]
    unlabelled: UnlabelledArgs,
}

pub(crate) fn run(args: &PageArgs, session: &Session) -> Result<()> {
    // Fail before the work, not after it.
    let output = args.output.create()?;
    let source = ModelFile::read(&args.model, args.edited)?;
    let alone = args.tree.map(|number| one_of(&source.model, number)).transpose()?;
    let model = alone.as_ref().unwrap_or(&source.model);
    if !model.ensemble().is_single() {
        let trees = model.trees().len();
        let problem = format!(
            "a page shows a single tree, and the model is a forest of {trees}; choose one of them with \
             --tree N, or see what the forest does with `ternwood evaluate --report`"
        );
        return Err(Usage(problem).into());
    }
    let rows = args.rows(&source, session)?;
    let mut facts =
        vec![("file".to_owned(), file_name(source.path)), ("SHA-256".to_owned(), source.sha256()?)];
    if let (Some(rows), Some(data)) = (&rows, &args.data) {
        facts
            .push(("evaluated on".to_owned(), format!("{}: {}", file_name(data), described(rows))));
        if data.is_file() {
            facts.push(("SHA-256 of that".to_owned(), files::sha256_of_file(data)?));
        }
    }
    output.complete(args.page(model, rows.as_ref(), facts, session)?)?;
    if let Some(path) = args.output.file() {
        session.note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

impl PageArgs {
    /// The evaluation rows, if there are any.
    fn rows(&self, source: &ModelFile<'_>, session: &Session) -> Result<Option<Dataset>> {
        let Some(data) = &self.data else { return Ok(None) };
        let data = DataArgs { data: data.clone(), layout: self.layout.clone() };
        let target = self.target.as_deref();
        let rows = source.labelled_rows(&data, target, self.unlabelled, session)?;
        let seen = source.model.seen_rows(&rows, session.exec())?.trained_on();
        session.warn(seen.map(|seen| format!("{}: {}", data.name(), seen.warning())));
        Ok(Some(rows))
    }

    fn page(
        &self,
        model: &Model,
        rows: Option<&Dataset>,
        facts: Vec<(String, String)>,
        session: &Session,
    ) -> Result<String> {
        let mut page = Page::new(model)?.with_file(file_name(&self.model)).with_facts(facts);
        if let Some(title) = &self.title {
            page = page.with_title(title);
        }
        if let Some(rows) = rows {
            page = page.with_evaluation(rows.into(), session.exec())?;
        }
        Ok(page.html()?)
    }
}

/// The file without its folder: whoever opens the page may have it elsewhere.
fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| "model.json".to_owned(), |name| name.to_string_lossy().into_owned())
}
