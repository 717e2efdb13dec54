//! The experiments: what is fitted to which folds of which data sets.

use crate::beyond::raw::{BeyondFile, BeyondRow, Method};
use crate::beyond::{ASIDE, MOST_ROWS};
use crate::collection::{Collection, Entry};
use crate::error::Result;
use crate::preprocess::{Encoding, FoldData, PaperData};
use ternwood::metrics::{Answers, Figures};
use ternwood::recipe::{DepthChoice, Exponent, Leaves, MissingValues};
use ternwood::{Exec, Learner, Matrix, Recipe, Routing, TreeParams, ZoneKind};
use ternwood_table::{Table, Values};

/// The depths at which calibrated trees are compared with CART.
pub const DEPTHS: [u32; 2] = [4, 8];

/// The depth of the trees on tables as they are.
pub const TABLES_DEPTH: u32 = 4;

/// Larger data sets are cut to this many rows, evenly spaced in the file.
pub const TABLES_MOST_ROWS: usize = 20_000;

/// The maximum number of rows of a data set for forests.
pub const FORESTS_MOST_ROWS: usize = 20_000;

/// What is compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Experiment {
    /// CART and the calibrated tree at both depths, on the data sets of at most 12,000 rows.
    Calibrated,
    /// Trees on the data sets with nominal features or missing values. Every data set is measured on
    /// codes and medians and as it is; one with missing values also on codes with missing values, and
    /// with missing values unknown at every test.
    Tables,
    /// The readable tree and the one of the best depth, on all data sets with categories and missing
    /// values as they are in the files.
    Depths,
    /// Forests, with zones and exponent and without.
    Forests,
}

/// An experiment on the data sets of a collection.
#[derive(Debug)]
pub struct BeyondRun<'a> {
    experiment: Experiment,
    collection: &'a Collection,
    entries: Vec<&'a Entry>,
}

impl<'a> BeyondRun<'a> {
    /// The data sets that are not too large, small files first; those set aside come last. Which
    /// have nominal features or missing values is known once they are read.
    #[must_use]
    pub fn new(experiment: Experiment, collection: &'a Collection) -> Self {
        let most_rows = match experiment {
            Experiment::Calibrated => Some(MOST_ROWS),
            Experiment::Forests => Some(FORESTS_MOST_ROWS),
            Experiment::Tables | Experiment::Depths => None,
        };
        let is_small = |entry: &&Entry| {
            most_rows.is_none_or(|most| collection.n_rows(entry).is_some_and(|rows| rows <= most))
        };
        let mut entries: Vec<&Entry> = collection.entries().iter().filter(is_small).collect();
        entries.sort_by_key(|entry| {
            let is_aside = most_rows.is_some() && ASIDE.contains(&entry.name.as_str());
            (is_aside, collection.file_size(entry))
        });
        Self { experiment, collection, entries }
    }

    /// The number of data sets to read.
    #[must_use]
    pub fn n_data_sets(&self) -> usize {
        self.entries.len()
    }

    /// Computes every fold missing from `file`; `done` is called after each data set.
    ///
    /// # Errors
    /// A data set cannot be read, or the results cannot be saved.
    pub fn run(&self, file: &mut BeyondFile, exec: &Exec, mut done: impl FnMut()) -> Result<()> {
        for entry in &self.entries {
            let missing: Vec<u8> = (0..self.collection.n_folds(entry))
                .filter(|&fold| !file.has(entry.openml_id, fold))
                .collect();
            if !missing.is_empty() {
                self.run_folds(entry, &missing, file, exec)?;
            }
            done();
        }
        Ok(())
    }

    fn run_folds(
        &self,
        entry: &Entry,
        folds: &[u8],
        file: &mut BeyondFile,
        exec: &Exec,
    ) -> Result<()> {
        let trials = self.trials(entry)?;
        if trials.is_empty() {
            return Ok(());
        }
        for &fold in folds {
            let mut rows = Vec::new();
            for (data, trials) in &trials {
                let parts = data.fold(fold)?;
                for trial in trials {
                    rows.push(trial.measure(entry, fold, &parts, exec)?);
                }
            }
            file.add(rows)?;
        }
        Ok(())
    }

    /// What is fitted to which form of a data set.
    fn trials(&self, entry: &Entry) -> Result<Vec<(PaperData, Vec<Trial>)>> {
        let loaded = || self.collection.load(entry);
        let trials = match self.experiment {
            Experiment::Calibrated => {
                let trials = DEPTHS.into_iter().flat_map(|depth| {
                    let calibrated =
                        SEEDS.map(|seed| Trial::calibrated(Method::Calibrated, depth, seed));
                    std::iter::once(Trial::cart(depth)).chain(calibrated)
                });
                vec![(loaded()?, trials.collect())]
            }
            Experiment::Forests => {
                let trials = SEEDS.map(|seed| [Trial::forest(seed), Trial::crisp_forest(seed)]);
                vec![(loaded()?, trials.into_iter().flatten().collect())]
            }
            Experiment::Depths => {
                let trials = [Method::Readable, Method::BestDepth];
                let trials = trials.map(|method| Trial::of_depth(method, SEEDS[0]));
                let table = self.collection.read(entry)?;
                vec![(self.cut(entry, table, Encoding::Native)?, trials.into())]
            }
            Experiment::Tables => self.trials_of_table(entry)?,
        };
        Ok(trials)
    }

    fn trials_of_table(&self, entry: &Entry) -> Result<Vec<(PaperData, Vec<Trial>)>> {
        let table = self.collection.read(entry)?;
        let has_missing = table.missing_cells() > 0;
        if !has_missing && !has_nominal_features(&table) {
            return Ok(Vec::new());
        }
        let mut methods =
            vec![(Method::Codes, Encoding::Published), (Method::Native, Encoding::Native)];
        if has_missing {
            methods.push((Method::CodesMissing, Encoding::Codes));
            methods.push((Method::Unknown, Encoding::Native));
        }
        let trials = methods.into_iter().map(|(method, encoding)| {
            let trials = SEEDS.map(|seed| Trial::calibrated(method, TABLES_DEPTH, seed));
            Ok((self.cut(entry, table.clone(), encoding)?, trials.into()))
        });
        trials.collect()
    }

    fn cut(&self, entry: &Entry, table: Table, encoding: Encoding) -> Result<PaperData> {
        self.collection.encode(entry, table, encoding)?.cut_to(TABLES_MOST_ROWS)
    }
}

/// True if a column other than the last, the target, is nominal.
fn has_nominal_features(table: &Table) -> bool {
    let features = table.columns().split_last().map_or(&[][..], |(_, features)| features);
    features.iter().any(|column| matches!(column.values(), Values::Nominal(_)))
}

// One method, fitted to the training part of a fold and measured on its test part.

/// The seeds of the inner folds.
pub const SEEDS: [u64; 3] = [42, 43, 44];

/// A method and its settings.
struct Trial {
    method: Method,
    /// 0 if nothing is random.
    seed: u64,
    recipe: Recipe,
}

impl Trial {
    /// Plain CART with smoothed leaves.
    fn cart(depth: u32) -> Self {
        let params = TreeParams { max_depth: Some(depth), ..TreeParams::default() };
        let recipe = Recipe {
            params: params.with_zone(ZoneKind::None),
            routing: Routing::Crisp,
            leaves: Leaves::Smoothed,
            ..Recipe::default()
        };
        Self { method: Method::Cart, seed: 0, recipe }
    }

    /// A calibrated tree of fixed depth.
    fn calibrated(method: Method, depth: u32, seed: u64) -> Self {
        let mut recipe = Recipe::calibrated();
        recipe.params.max_depth = Some(depth);
        recipe.params.seed = seed;
        recipe.auto.max_depth = None;
        if method == Method::Unknown {
            recipe.params.missing = MissingValues::Unknown;
        }
        Self { method, seed, recipe }
    }

    /// A calibrated tree whose depth is chosen: the readable one, or the best.
    fn of_depth(method: Method, seed: u64) -> Self {
        let mut recipe = Recipe::calibrated();
        recipe.params.seed = seed;
        if method == Method::BestDepth {
            recipe.auto.max_depth = Some(DepthChoice::Best);
        }
        Self { method, seed, recipe }
    }

    /// A forest of 100 trees.
    fn forest(seed: u64) -> Self {
        let mut recipe = Recipe::forest();
        recipe.params.seed = seed;
        Self { method: Method::TernaryForest, seed, recipe }
    }

    /// The same without zones and exponent.
    fn crisp_forest(seed: u64) -> Self {
        let mut recipe = Self::forest(seed).recipe.decided();
        recipe.params = recipe.params.with_zone(ZoneKind::None);
        if let Some(forest) = recipe.ensemble.forest_mut() {
            forest.exponent = Exponent::Off;
        }
        Self { method: Method::CrispForest, seed, recipe }
    }

    /// Fits and measures.
    fn measure(&self, entry: &Entry, fold: u8, parts: &FoldData, exec: &Exec) -> Result<BeyondRow> {
        let forest = self.recipe.ensemble.forest();
        let compares_depths = self.recipe.auto.max_depth.is_some();
        let model = Learner::from_recipe(self.recipe.clone())?.fit(&parts.train, exec)?;
        let predictions = model.predict(Matrix::from(parts.test.columns()), exec)?;
        let confidences = predictions.confidences();
        let answers = Answers::new(&predictions, &confidences);
        let figures = Figures::new(parts.test.labels(), &answers, None, None)?;
        let chosen = model.chosen();
        Ok(BeyondRow {
            openml_id: entry.openml_id,
            dataset: entry.name.clone(),
            fold,
            depth: model.recipe().params.max_depth.unwrap_or(0),
            method: self.method,
            seed: self.seed,
            rows: parts.test.n_rows(),
            accuracy: figures.rates.accuracy.unwrap_or(0.0),
            aurc: figures.aurc.unwrap_or(0.0),
            log_loss: figures.log_loss.unwrap_or(0.0),
            zone_scale: chosen.map_or(0.0, |best| best.zone_scale),
            category_error: chosen.and_then(|best| best.category_error),
            out_of_bag_log_loss: forest.and(chosen).map(|best| best.log_loss),
            leaves: compares_depths.then(|| model.trees()[0].n_leaves()),
        })
    }
}
