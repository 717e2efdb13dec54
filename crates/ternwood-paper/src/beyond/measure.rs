//! All methods on one fold.

use super::raw::{BeyondFile, BeyondRow, Method};
use super::{ASIDE, MOST_ROWS};
use crate::collection::{Collection, Entry};
use crate::error::Result;
use crate::standardise::FoldData;
use ternwood::metrics::{Answers, Figures};
use ternwood::recipe::{Choice, Leaves};
use ternwood::{Exec, Learner, Matrix, Recipe, Routing, TreeParams, ZoneKind};

/// The depths compared.
pub const DEPTHS: [u32; 2] = [4, 8];

/// The seeds of the inner folds.
pub const SEEDS: [u64; 3] = [42, 43, 44];

/// What to run.
#[derive(Debug)]
pub struct BeyondRun<'a> {
    collection: &'a Collection,
    entries: Vec<&'a Entry>,
}

impl<'a> BeyondRun<'a> {
    /// All data sets of at most 12,000 rows; those set aside come last.
    #[must_use]
    pub fn new(collection: &'a Collection) -> Self {
        let small = |entry: &&Entry| collection.n_rows(entry).is_some_and(|rows| rows <= MOST_ROWS);
        let mut entries: Vec<&Entry> = collection.entries().iter().filter(small).collect();
        entries.sort_by_key(|entry| ASIDE.contains(&entry.name.as_str()));
        Self { collection, entries }
    }

    /// The data sets, in the order they are run.
    #[must_use]
    pub fn entries(&self) -> &[&'a Entry] {
        &self.entries
    }

    /// The number of folds still to be computed.
    #[must_use]
    pub fn folds_left(&self, file: &BeyondFile) -> usize {
        let folds = |entry: &&Entry| {
            let folds = 0..self.collection.n_folds(entry);
            folds.filter(|&fold| !file.has(entry.openml_id, fold)).count()
        };
        self.entries.iter().map(folds).sum()
    }

    /// Computes every fold missing from `file`; `done` is called after each.
    ///
    /// # Errors
    /// A data set cannot be read, or the results cannot be saved.
    pub fn run(&self, file: &mut BeyondFile, exec: &Exec, mut done: impl FnMut()) -> Result<()> {
        for entry in &self.entries {
            let mut folds = 0..self.collection.n_folds(entry);
            if folds.all(|fold| file.has(entry.openml_id, fold)) {
                continue;
            }
            let data = self.collection.load(entry)?;
            for fold in 0..data.n_folds() {
                if !file.has(entry.openml_id, fold) {
                    file.add(measure(entry, fold, &data.fold(fold)?, exec)?)?;
                    done();
                }
            }
        }
        Ok(())
    }
}

/// The rows of one fold: CART at both depths, and the calibrated tree at both with every seed.
fn measure(entry: &Entry, fold: u8, parts: &FoldData, exec: &Exec) -> Result<Vec<BeyondRow>> {
    let mut rows = Vec::new();
    for depth in DEPTHS {
        let params = TreeParams { max_depth: Some(depth), ..TreeParams::default() };
        let cart = Recipe {
            params: params.clone().with_zone(ZoneKind::None),
            routing: Routing::Crisp,
            leaves: Leaves::Smoothed,
            ..Recipe::default()
        };
        let mut recipes = vec![(Method::Cart, 0, cart)];
        for seed in SEEDS {
            let mut calibrated = Recipe::calibrated();
            calibrated.params.max_depth = Some(depth);
            calibrated.params.seed = seed;
            calibrated.auto.max_depth = false;
            recipes.push((Method::Calibrated, seed, calibrated));
        }
        for (method, seed, recipe) in recipes {
            let model = Learner::from_recipe(recipe)?.fit(&parts.train, exec)?;
            let predictions = model.predict(Matrix::from(parts.test.columns()), exec)?;
            let confidences = predictions.confidences();
            let answers = Answers::new(&predictions, &confidences);
            let figures = Figures::new(parts.test.labels(), &answers, None, None)?;
            let chosen = model.choice().and_then(Choice::best);
            rows.push(BeyondRow {
                openml_id: entry.openml_id,
                dataset: entry.name.clone(),
                fold,
                depth,
                method,
                seed,
                rows: parts.test.n_rows(),
                accuracy: figures.rates.accuracy.unwrap_or(0.0),
                aurc: figures.aurc.unwrap_or(0.0),
                log_loss: figures.log_loss.unwrap_or(0.0),
                zone_scale: chosen.map_or(0.0, |best| best.zone_scale),
            });
        }
    }
    Ok(rows)
}
