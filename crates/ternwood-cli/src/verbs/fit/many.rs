//! Fitting several tables, or one that may be larger than memory.

use super::{FitArgs, Fitted, fit_in_memory, tree_preview};
use crate::bytes::shown;
use crate::cli::Usage;
use crate::columns::Training;
use crate::files::expanded;
use crate::model_file::to_bytes;
use crate::output::{Output, STDOUT};
use crate::reading::{DataArgs, described_rows, remedy};
use crate::session::Session;
use crate::summary::Summary;
use crate::{style, warnings};
use anyhow::{Result, anyhow, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use ternwood::tree::NodeId;
use ternwood::{Columns, Dataset, ErrorKind, Model};
use ternwood_table::{Encoded, ManyLearned, ManyTables, Source};

pub(super) fn run(args: &FitArgs, session: &Session) -> Result<Fitted> {
    // Fail before the work, not after it; and leave nothing behind if it is killed meanwhile.
    drop(Output::file(&args.output, args.force)?);
    let files = expanded(&[std::slice::from_ref(&args.data.data), &args.more].concat())?;
    let metadata = args.record.of(&files)?;
    let many = tables(args, files, session)?;
    let learned = {
        let progress = session.progress("looking at the tables", None);
        let learned = many.learn(args.tree.missing.in_the_table(), |rows| progress.advance(rows));
        learned.map_err(remedy)?
    };
    let needed = bytes_needed(&learned);
    if needed <= args.pieces.limit() && args.pieces.resume.is_none() {
        let encoded = in_memory(&many, &learned)?;
        let file = Output::file(&args.output, args.force)?;
        let training = Training { encoded, glimpses: Vec::new(), groups: Vec::new() };
        return fit_in_memory(args, training, metadata, file, session);
    }
    session.warn(warnings::cut(&learned.warnings, &args.data.look_at_all()));
    let model = in_pieces(args, &many, &learned, needed, session)?;
    let policy = model.verdict().clone().with_uncovered(args.wish.uncovered())?;
    let model = model.with_verdict(policy)?.with_metadata(metadata);
    let model = if args.private { model.private() } else { model };
    Output::file(&args.output, args.force)?.complete(to_bytes(&model, &args.output))?;
    if let Some(state) = &args.pieces.resume {
        // It may never have been written, if the tree was grown in one go.
        let _ = std::fs::remove_file(state);
    }
    tell(args, &model, &learned, session)?;
    Fitted::new(args, &model, learned.rows, None)
}

/// The tables of these files.
fn tables(args: &FitArgs, files: Vec<PathBuf>, session: &Session) -> Result<ManyTables> {
    let plan = args.learning.plan(&args.data, args.target.as_deref())?;
    let target = plan.target.clone().ok_or_else(|| plan.no_target())?;
    if plan.is_dropped(&target) {
        bail!("the column '{target}' cannot be the target and be dropped; take it out of --drop");
    }
    let sources = files.into_iter().map(|data| {
        if data == Path::new(STDOUT) {
            let problem = "standard input can be read only once; save it as a file first, or leave out \
                           the other tables, --memory and --resume";
            return Err(Usage(problem.to_owned()).into());
        }
        DataArgs { data, layout: args.data.layout.clone() }.source()
    });
    let sources = sources.collect::<Result<Vec<Source>>>()?;
    let options = plan.read_options(&args.data, Clone::clone).threads(session.exec().threads());
    let many = ManyTables::new(sources, options, target, plan.weights.clone());
    Ok(many.dropping_unlabelled(args.unlabelled.are_dropped()))
}

/// About how many bytes a fit takes that has all rows in memory.
fn bytes_needed(learned: &ManyLearned) -> u64 {
    // Values while they are put together, and codes; labels, weights and row numbers.
    learned.rows * (18 * learned.schema.n_features() as u64 + 40)
}

/// All rows in memory.
fn in_memory(many: &ManyTables, learned: &ManyLearned) -> Result<Encoded> {
    const ROWS_AT_ONCE: usize = 1 << 16;
    let n_features = learned.schema.n_features();
    let mut columns = vec![Vec::with_capacity(learned.rows as usize); n_features];
    let (mut labels, mut weights) = (Vec::new(), Vec::new());
    for chunk in many.chunks(learned, ROWS_AT_ONCE) {
        let chunk = chunk.map_err(remedy)?;
        for (feature, column) in columns.iter_mut().enumerate() {
            column.extend_from_slice(chunk.columns.column(feature));
        }
        labels.extend(chunk.labels);
        weights.extend(chunk.weights.into_iter().flatten());
    }
    let columns = Columns::from_columns(columns.concat(), n_features)?;
    let mut dataset = Dataset::with_schema(columns, labels, Arc::new(learned.schema.clone()))?;
    if !weights.is_empty() {
        dataset = dataset.with_weights(weights)?;
    }
    Ok(Encoded { dataset, warnings: learned.warnings.clone(), absent: Vec::new() })
}

/// The model of rows that do not fit into memory.
fn in_pieces(
    args: &FitArgs,
    many: &ManyTables,
    learned: &ManyLearned,
    needed: u64,
    session: &Session,
) -> Result<Model> {
    let limit = args.pieces.limit();
    let (why, otherwise) = match needed <= limit {
        true => ("--resume fits in pieces".to_owned(), "leave out --resume"),
        false => {
            let (needed, limit) = (shown(needed), shown(limit));
            let why = format!("the rows take about {needed} of memory, and {limit} may be used");
            (why, "raise --memory")
        }
    };
    if args.hold_out.is_some()
        || args.wish.needs_rows()
        || args.wish.has_costs()
        || args.bayes_scale
    {
        bail!(
            "{why}: in pieces, and the verdict is set afterwards; leave --hold-out and what the verdict is for \
             out here, and then say `ternwood calibrate` with rows kept from training; or {otherwise}"
        );
    }
    let recipe = args.recipe(&learned.schema)?;
    args.pieces.fit(many, learned, recipe, session).map_err(|error| {
        match error.downcast_ref::<ternwood::Error>().map(ternwood::Error::kind) {
            Some(ErrorKind::NotInPartitions { .. }) => anyhow!(
                "{why}: {error}. The paper's trees can be had, for instance by --zone margin --max-depth 8; \
                 or {otherwise}"
            ),
            _ => error,
        }
    })
}

fn tell(args: &FitArgs, model: &Model, learned: &ManyLearned, session: &Session) -> Result<()> {
    let is_told = args.output != Path::new(STDOUT);
    if is_told && !session.is_quiet() && !args.json {
        let mut out = anstream::stdout().lock();
        let tree = &model.trees()[0];
        let counts: Vec<u64> =
            tree.class_rows(NodeId::ROOT).iter().map(|&rows| u64::from(rows)).collect();
        let rows = described_rows(&learned.schema, learned.rows as usize, &counts);
        let rows = format!("{}: {rows}, in pieces", args.name_of_data());
        writeln!(out, "{}\n", style::paragraph(&rows))?;
        write!(out, "{}", Summary::of_fit(model).text())?;
        tree_preview(&mut out, model.single_tree()?, &args.output)?;
        out.flush()?;
    }
    if is_told {
        session.suggest(&session.next("show").with("model", &args.output.display()));
    }
    Ok(())
}
