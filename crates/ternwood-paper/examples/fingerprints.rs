//! Hashes of fitted trees and of their predictions, on every data set of a folder: shows whether a change
//! of the code changes a model. Compare two runs with `diff`:
//!
//! ```text
//! cargo run --release -p ternwood-paper --example fingerprints -- ../shared/openml > before.txt
//! ```
//!
//! Each line has a data set, a recipe, the number of trees and of nodes, a hash of the trees (tests with
//! zones, class counts, distributions, impurities) and a hash of the predictions of the rows fitted to.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::error::Error;
use std::path::Path;
use ternwood::recipe::{
    CategoryGain, ClassWeight, Criterion, Exponent, ForestParams, GainKind, MaxFeatures,
    MissingValues, RowCount,
};
use ternwood::{
    Dataset, Exec, Learner, Matrix, Model, Recipe, Routing, Tree, TreeParams, ZoneKind,
};
use ternwood_paper::{Collection, Entry};
use ternwood_table::{EncodeOptions, ReadOptions, Source, encode, read_table};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Larger data sets are cut to rows that are evenly spaced in the file.
const MOST_CELLS: usize = 600_000;

/// The same for recipes that grow many trees.
const MOST_CELLS_OF_SLOW: usize = 24_000;

/// Rows that are predicted.
const MOST_PREDICTED: usize = 2_000;

/// How rows are weighted.
#[derive(Clone, Copy, PartialEq)]
enum Weights {
    Unit,
    Whole,
    Real,
}

/// What is fitted.
struct Trial {
    name: String,
    recipe: Recipe,
    weights: Weights,
    most_cells: usize,
}

impl Trial {
    fn new(name: &str, recipe: Recipe) -> Self {
        Self { name: name.to_owned(), recipe, weights: Weights::Unit, most_cells: MOST_CELLS }
    }

    fn weighted(mut self, weights: Weights) -> Self {
        self.weights = weights;
        self
    }

    fn slow(mut self) -> Self {
        self.most_cells = MOST_CELLS_OF_SLOW;
        self
    }

    fn fit(&self, data: &Dataset, exec: &Exec) -> Outcome<Model> {
        let data = cut(data, self.most_cells)?;
        let weight = |row: usize| match self.weights {
            Weights::Unit => 1.0,
            // Some rows do not count at all.
            Weights::Whole => (row * 7919 % 4) as f64,
            Weights::Real => 0.1 + (row * 7919 % 97) as f64 / 31.0,
        };
        let data = match self.weights {
            Weights::Unit => data,
            _ => {
                let weights: Vec<f64> = (0..data.n_rows()).map(weight).collect();
                data.with_weights(weights)?
            }
        };
        Ok(Learner::from_recipe(self.recipe.clone())?.fit(&data, exec)?)
    }
}

fn plain(kind: ZoneKind, change: impl FnOnce(&mut TreeParams)) -> Recipe {
    let mut params = TreeParams { seed: 3, ..TreeParams::default() }.with_zone(kind);
    change(&mut params);
    Recipe { params, ..Recipe::default() }
}

fn routed(routing: Routing, recipe: Recipe) -> Recipe {
    Recipe { routing, ..recipe }
}

fn forest(n_trees: u32, kind: ZoneKind, exponent: Exponent) -> Recipe {
    let mut recipe = Recipe::forest();
    recipe.params.zone.kind = kind;
    recipe.params.seed = 5;
    recipe.ensemble = ForestParams { n_trees, exponent, ..ForestParams::default() }.into();
    recipe
}

/// The trials of a table of numbers and of one with its categories and gaps.
fn trials() -> Vec<Trial> {
    let depth = |depth| move |params: &mut TreeParams| params.max_depth = Some(depth);
    let leaves = |leaves| move |params: &mut TreeParams| params.max_leaf_nodes = Some(leaves);
    let gain_ratio = ZoneKind::GainRatio { scale: 0.1, gain: GainKind::Information };
    vec![
        Trial::new("depth 4", plain(ZoneKind::Margin, depth(4))),
        Trial::new("to the end", plain(ZoneKind::None, |_| ())),
        Trial::new(
            "entropy, depth 8",
            plain(ZoneKind::quality_plateau(), |params| {
                params.criterion = Criterion::Entropy;
                params.max_depth = Some(8);
                params.zero_gain_splits = true;
            }),
        ),
        Trial::new("whole weights, depth 9", plain(ZoneKind::Spread, depth(9)))
            .weighted(Weights::Whole),
        Trial::new(
            "real weights, balanced",
            plain(ZoneKind::class_overlap(), |params| {
                params.class_weight = ClassWeight::Balanced;
                params.max_depth = Some(7);
            }),
        )
        .weighted(Weights::Real),
        Trial::new(
            "three children",
            routed(Routing::HardMiddle, plain(ZoneKind::quality_plateau(), depth(4))),
        ),
        Trial::new(
            "three children, 15 leaves",
            routed(Routing::HardMiddle, plain(gain_ratio.clone(), leaves(15))),
        ),
        Trial::new("node bootstrap, depth 4", plain(ZoneKind::node_bootstrap(), depth(4))),
        Trial::new("12 leaves", plain(ZoneKind::Margin, leaves(12))),
        Trial::new("250 leaves", plain(ZoneKind::Spread, leaves(250))),
        Trial::new("300 leaves, real weights", plain(ZoneKind::Spread, leaves(300)))
            .weighted(Weights::Real),
        Trial::new(
            "drawn features",
            plain(ZoneKind::Margin, |params| params.max_features = MaxFeatures::Sqrt),
        ),
        Trial::new(
            "drawn features, 40 leaves",
            plain(ZoneKind::Spread, |params| {
                params.max_features = MaxFeatures::Log2;
                params.max_leaf_nodes = Some(40);
                params.criterion = Criterion::Entropy;
            }),
        ),
        Trial::new(
            "large leaves",
            routed(
                Routing::Deferred,
                plain(gain_ratio, |params| {
                    params.min_samples_leaf = RowCount::Count(9);
                    params.min_weight_fraction_leaf = 0.002;
                    params.category_gain = CategoryGain::Measured;
                }),
            ),
        ),
        Trial::new(
            "pruned",
            plain(ZoneKind::Margin, |params| {
                params.ccp_alpha = 0.002;
                params.min_impurity_decrease = 1e-5;
            }),
        ),
        Trial::new(
            "missing unknown",
            plain(ZoneKind::Spread, |params| {
                params.missing = MissingValues::Unknown;
                params.min_samples_category = 6;
                params.max_depth = Some(8);
            }),
        ),
        Trial::new(
            "missing unknown, 25 leaves",
            plain(ZoneKind::quality_plateau(), |params| {
                params.missing = MissingValues::Unknown;
                params.max_leaf_nodes = Some(25);
            }),
        ),
        Trial::new("calibrated", Recipe::calibrated()).slow(),
        Trial::new("cost-optimal", plain(ZoneKind::CostOptimal { cost_ratio: 0.2 }, depth(5)))
            .slow(),
        Trial::new("forest, calibrated", forest(7, ZoneKind::Spread, Exponent::Auto)).slow(),
        Trial::new("forest, real weights", forest(5, ZoneKind::Margin, Exponent::Auto))
            .weighted(Weights::Real)
            .slow(),
        Trial::new("forest without zones", forest(4, ZoneKind::None, Exponent::Off).decided()),
    ]
}

fn cut(data: &Dataset, most_cells: usize) -> Outcome<Dataset> {
    let most = (most_cells / data.n_features()).max(100);
    let n_rows = data.n_rows();
    if n_rows <= most {
        return Ok(data.clone());
    }
    let rows: Vec<usize> = (0..most).map(|index| index * n_rows / most).collect();
    Ok(data.select(&rows)?)
}

/// A hash of 64 bits (FNV-1a).
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|number| self.bytes(&number.to_bits().to_le_bytes()));
    }

    fn tree(&mut self, tree: &Tree) {
        for id in tree.ids() {
            if let Some(split) = tree.node(id).as_split() {
                // The shortest text of a number that reads back as the same.
                self.bytes(format!("{:?}", split.test).as_bytes());
            }
            tree.class_rows(id).iter().for_each(|rows| self.bytes(&rows.to_le_bytes()));
            self.numbers(tree.class_weights(id).iter().copied());
            self.numbers(tree.values(id).iter().copied());
            self.numbers([tree.impurity(id), f64::from(tree.rows_within(id))]);
        }
    }
}

/// The same columns without their categories, as codes.
fn with_codes(collection: &Collection, entry: &Entry) -> Outcome<Dataset> {
    Ok(collection.load(entry)?.dataset().clone())
}

/// The table with its categories and missing values.
fn native(folder: &Path, entry: &Entry) -> Outcome<Dataset> {
    let options = ReadOptions::new().drop(&entry.dropped);
    let table = read_table(&Source::file(folder.join(&entry.file)), &options)?;
    let last = table.column_names().last().ok_or("no columns")?.to_string();
    let target = entry.target.clone().unwrap_or(last);
    Ok(encode(table, &target, EncodeOptions::default())?.dataset)
}

fn main() -> Outcome<()> {
    let folder = std::env::args().nth(1).ok_or("give the folder of the data sets")?;
    let folder = Path::new(&folder);
    let collection = Collection::open(folder)?;
    let exec = Exec::with_threads(2)?;
    let (mut n_sets, mut all_trees, mut all_nodes) = (0, 0, 0);
    for entry in collection.entries() {
        n_sets += 1;
        let tables = [
            ("codes", cut(&with_codes(&collection, entry)?, MOST_CELLS)?),
            ("native", cut(&native(folder, entry)?, MOST_CELLS)?),
        ];
        for (kind, data) in tables {
            for trial in trials() {
                let model = trial.fit(&data, &exec)?;
                let trees = model.trees();
                let n_nodes: usize = trees.iter().map(Tree::n_nodes).sum();
                let (mut of_trees, mut of_predictions) = (Hash::new(), Hash::new());
                trees.iter().for_each(|tree| of_trees.tree(tree));
                let rows = cut(&data, MOST_PREDICTED * data.n_features())?;
                let predictions = model.predict(Matrix::from(rows.columns()), &exec)?;
                of_predictions.numbers(predictions.distributions().iter().copied());
                of_predictions.bytes(format!("{:?}", predictions.verdicts()).as_bytes());
                println!(
                    "{}\t{kind}\t{}\t{}\t{n_nodes}\t{:016x}\t{:016x}",
                    entry.name,
                    trial.name,
                    trees.len(),
                    of_trees.0,
                    of_predictions.0
                );
                (all_trees, all_nodes) = (all_trees + trees.len(), all_nodes + n_nodes);
            }
        }
    }
    println!("{n_sets} data sets, {all_trees} trees, {all_nodes} nodes");
    Ok(())
}
