//! Are trees of real targets those of the definition, to the bit, and those of scikit-learn?

use super::*;
use crate::dataset::{ClassName, Feature, Matrix, Schema};
use crate::exec::Exec;
use crate::grow::grower::{Grown, PartOf, Search, TreeGrowth};
use crate::grow::nodes::{GrownNode, preorder};
use crate::grow::prepared::Prepared;
use crate::grow::search::{Ties, midpoint};
use crate::grow::stream::NodeKey;
use crate::grow::training::ColumnKind;
use crate::recipe::{MissingValues, RowCount, TreeParams};
use crate::tree::{Cut, Missing, Test};
use proptest::prelude::*;

/// A table with its targets; column by column.
#[derive(Debug, Clone)]
struct Table {
    columns: Vec<Vec<f64>>,
    /// Of every column, the number of categories, if it has categories.
    categories: Vec<Option<usize>>,
    targets: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl Table {
    fn features<'a>(&self, values: &'a [f64]) -> Features<'a> {
        let feature = |(at, n_categories): (usize, &Option<usize>)| match n_categories {
            None => Feature::number(format!("x{at}")),
            Some(n) => Feature::categories(format!("x{at}"), (0..*n).map(|id| format!("c{id}"))),
        };
        let features = self.categories.iter().enumerate().map(feature).collect();
        let classes: Vec<ClassName> = vec![0.into(), 1.into()];
        let schema = Schema::new(features, classes).unwrap();
        let has_missing = |at: u32| self.columns[at as usize].iter().any(|x| x.is_nan());
        let matrix = Matrix::column_major(values, self.columns.len()).unwrap();
        Features::new(matrix, ColumnKind::of(&schema, has_missing))
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Checks the tree grown in one way with `check`.
    fn grow<R>(
        &self,
        params: &TreeParams,
        search: Search,
        threads: usize,
        check: impl FnOnce(&Training<'_, Real>, &Grown<Real>) -> R,
    ) -> R {
        let values = self.columns.concat();
        let features = self.features(&values);
        let training =
            Training::of_reals(features, &self.targets, self.weights.as_deref()).unwrap();
        let params = params.clone().check().unwrap();
        let exec = Exec::with_threads(threads).unwrap();
        let whole = training.tally(training.rows());
        let part = PartOf { whole: whole.clone(), depth: 0, key: NodeKey::root() };
        let prepared = Prepared::default();
        let growth = TreeGrowth {
            training: &training,
            prepared: &prepared,
            params: &params,
            search,
            exec: &exec,
        };
        let grown = growth.grow(whole, part, None, Ties::Lowest, false).unwrap();
        check(&training, &grown)
    }
}

/// The definition, on the grid of exact sums.
struct Naive<'a> {
    table: &'a Table,
    params: &'a TreeParams,
    middle: f64,
    unit: f64,
    products: Vec<i64>,
}

/// A candidate, better ones first: the place among equal gains, the gain, and what goes left.
struct NaiveSplit {
    gain: f64,
    feature: usize,
    /// A threshold, or that on the axis of mean targets; `None` for "present | missing".
    threshold: Option<f64>,
    missing: Missing,
    left: Vec<usize>,
    right: Vec<usize>,
}

impl<'a> Naive<'a> {
    fn new(table: &'a Table, params: &'a TreeParams) -> Self {
        let counted: Vec<usize> =
            (0..table.targets.len()).filter(|&row| table.weight(row) > 0.0).collect();
        let of = |f: fn(f64, f64) -> f64, start: f64| {
            counted.iter().fold(start, |best, &row| f(best, table.targets[row]))
        };
        let (low, high) = (of(f64::min, f64::INFINITY), of(f64::max, f64::NEG_INFINITY));
        let middle = low / 2.0 + high / 2.0;
        let largest = (high - middle).max(middle - low);
        let weights: Vec<f64> = (0..table.targets.len()).map(|row| table.weight(row)).collect();
        let are_whole = weights.iter().all(|weight| weight.fract() == 0.0);
        let heaviest = weights.iter().copied().fold(0.0, f64::max);
        let (scale, total) = match are_whole {
            true => (largest, weights.iter().sum()),
            false => (heaviest * largest, weights.len() as f64),
        };
        // Sums stay below 2^62 units.
        let unit = match scale > 0.0 {
            true => 2f64.powf(scale.log2().ceil() + total.log2().ceil() - 61.0),
            false => 1.0,
        };
        let product = |row: usize| {
            let offset = table.targets[row] - middle;
            match are_whole {
                true => (offset / unit).round() as i64 * weights[row] as i64,
                false => (weights[row] * offset / unit).round() as i64,
            }
        };
        let products = (0..weights.len()).map(product).collect();
        Self { table, params, middle, unit, products }
    }

    fn sums(&self, rows: &[usize]) -> (f64, f64) {
        let sum: i64 = rows.iter().map(|&row| self.products[row]).sum();
        (rows.iter().map(|&row| self.table.weight(row)).sum(), sum as f64)
    }

    fn mean(&self, rows: &[usize]) -> f64 {
        let (weight, sum) = self.sums(rows);
        self.middle + sum / weight * self.unit
    }

    /// The gain of a split of rows.
    fn gain(&self, left: &[usize], right: &[usize]) -> f64 {
        let ((left_weight, left_sum), (right_weight, right_sum)) =
            (self.sums(left), self.sums(right));
        let weight = left_weight + right_weight;
        let difference = (left_sum / left_weight - right_sum / right_weight) * self.unit;
        left_weight / weight * (right_weight / weight) * (difference * difference)
    }

    /// Candidates of a feature in the order in which they win ties, without gains.
    fn candidates(&self, rows: &[usize], feature: usize) -> Vec<NaiveSplit> {
        let column = &self.table.columns[feature];
        let (missing, present): (Vec<usize>, Vec<usize>) =
            rows.iter().copied().partition(|&row| column[row].is_nan());
        let learns = self.params.missing == MissingValues::Learn && !missing.is_empty();
        // Categories lie at the mean targets of their rows.
        let position = |row: usize| match self.table.categories[feature] {
            None => column[row],
            Some(_) => {
                let same = |other: &usize| column[*other] == column[row];
                self.mean(&present.iter().copied().filter(same).collect::<Vec<_>>())
            }
        };
        let mut placed: Vec<(f64, usize)> =
            present.iter().map(|&row| (position(row), row)).collect();
        placed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut found = Vec::new();
        for at in 1..placed.len() {
            if placed[at - 1].0 >= placed[at].0 {
                continue;
            }
            let threshold = Some(midpoint(placed[at - 1].0, placed[at].0));
            let side = |part: &[(f64, usize)]| part.iter().map(|&(_, row)| row).collect::<Vec<_>>();
            let (left, right) = (side(&placed[..at]), side(&placed[at..]));
            let split = |missing, left, right| NaiveSplit {
                gain: 0.0,
                feature,
                threshold,
                missing,
                left,
                right,
            };
            if learns {
                let with = |rows: &[usize]| [rows, &missing].concat();
                found.push(split(Missing::Left, with(&left), right.clone()));
                found.push(split(Missing::Right, left.clone(), with(&right)));
            } else {
                found.push(split(Missing::Unknown, left, right));
            }
        }
        if learns && !present.is_empty() {
            found.push(NaiveSplit {
                gain: 0.0,
                feature,
                threshold: None,
                missing: Missing::Right,
                left: present,
                right: missing,
            });
        }
        found
    }

    fn best_split(&self, rows: &[usize]) -> Option<NaiveSplit> {
        let (weight, _) = self.sums(rows);
        let least = self.params.min_samples_leaf.of(usize::MAX);
        let mut best: Option<NaiveSplit> = None;
        for feature in 0..self.table.columns.len() {
            for mut split in self.candidates(rows, feature) {
                if split.left.len() < least || split.right.len() < least {
                    continue;
                }
                let (known, _) = self.sums(&[&split.left[..], &split.right].concat());
                split.gain = known / weight * self.gain(&split.left, &split.right);
                if split.gain > best.as_ref().map_or(0.0, |best| best.gain) {
                    best = Some(split);
                }
            }
        }
        best
    }

    /// Compares a subtree. Returns the number of its splits.
    fn compare(
        &self,
        training: &Training<'_, Real>,
        nodes: &[GrownNode<Real>],
        (at, rows, depth): (usize, &[usize], u32),
    ) -> usize {
        let node = &nodes[at];
        assert_eq!(node.tally.n_rows(), rows.len());
        assert_eq!(training.mean(&node.tally).to_bits(), self.mean(rows).to_bits());
        let is_pure =
            rows.iter().all(|&row| self.table.targets[row] == self.table.targets[rows[0]]);
        let is_leaf = is_pure || self.params.max_depth.is_some_and(|most| depth >= most);
        let expected = if is_leaf { None } else { self.best_split(rows) };
        let (Some(expected), Some(split)) = (&expected, &node.split) else {
            let gain = expected.map(|split| split.gain);
            assert!(gain.is_none() && node.split.is_none(), "{gain:?} {:?}", node.split);
            return 0;
        };
        assert_eq!(split.choice.gain.to_bits(), expected.gain.to_bits());
        assert_eq!(split.choice.feature() as usize, expected.feature);
        let threshold = |test: &Test| match test.cut() {
            Cut::Threshold { zone, .. } => Some(zone.threshold()),
            Cut::Categories(cut) => Some(cut.threshold()),
            Cut::Present => None,
        };
        assert_eq!(threshold(&split.test), expected.threshold);
        if expected.threshold.is_some() {
            assert_eq!(split.test.missing(), expected.missing);
        }
        1 + self.compare(training, nodes, (split.left, &expected.left, depth + 1))
            + self.compare(training, nodes, (split.right, &expected.right, depth + 1))
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-3..4).prop_map(f64::from),
        4 => -1.0..1.0f64,
        1 => prop::sample::select(vec![0.1, 1e9, -1e-9]),
        1 => Just(f64::NAN),
    ]
}

fn column(n_rows: usize) -> impl Strategy<Value = (Option<usize>, Vec<f64>)> {
    let category = prop_oneof![5 => (0..5).prop_map(f64::from), 1 => Just(f64::NAN)];
    prop_oneof![
        3 => prop::collection::vec(number(), n_rows).prop_map(|values| (None, values)),
        1 => prop::collection::vec(category, n_rows).prop_map(|values| (Some(5), values)),
    ]
}

fn tables(most: usize) -> impl Strategy<Value = Table> {
    (4..most).prop_flat_map(|n_rows| {
        let target =
            prop_oneof![3 => (0..4).prop_map(f64::from), 3 => -9.0..9.0f64, 1 => Just(1e6)];
        let weights = prop_oneof![
            2 => Just(None),
            1 => prop::collection::vec((1..5).prop_map(f64::from), n_rows).prop_map(Some),
            1 => prop::collection::vec((1..200).prop_map(|n| f64::from(n) / 64.0), n_rows).prop_map(Some),
        ];
        let columns = prop::collection::vec(column(n_rows), 1..4);
        (columns, prop::collection::vec(target, n_rows), weights).prop_map(
            |(columns, targets, weights)| {
                let (categories, columns) = columns.into_iter().unzip();
                Table { columns, categories, targets, weights }
            },
        )
    })
}

fn params() -> impl Strategy<Value = TreeParams> {
    let missing = prop::sample::select(vec![MissingValues::Learn, MissingValues::Unknown]);
    let leaves = prop::sample::select(vec![None, Some(1000)]);
    (1..5u32, 1..4u32, missing, leaves).prop_map(|(depth, least, missing, max_leaf_nodes)| {
        TreeParams {
            max_depth: Some(depth),
            min_samples_leaf: RowCount::Count(least),
            missing,
            max_leaf_nodes,
            ..TreeParams::default()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_search_grows_the_tree_of_the_definition(
        table in tables(40), params in params(), bins in 2..9usize,
    ) {
        let naive = Naive::new(&table, &params);
        let rows: Vec<usize> = (0..table.targets.len()).collect();
        for (search, threads) in [
            (Search::Fast, 1),
            (Search::Sorted, 2),
            (Search::BinsOnly(bins), 1),
            (Search::BinsOnly(bins), 7),
        ] {
            table.grow(&params, search, threads, |training, grown| {
                naive.compare(training, &grown.nodes, (0, &rows, 0))
            });
        }
    }
}

/// Smooth and coarse columns, and a target with steps.
fn large_table(n_rows: usize, weights: Option<Vec<f64>>) -> Table {
    let noise = |seed: u64, row: usize| {
        let mixed = crate::dataset::mix(seed * 1_000_003 + row as u64);
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    };
    let columns: Vec<Vec<f64>> = (0..5)
        .map(|column| {
            let value = |row: usize| match column {
                3 => (noise(3, row) * 12.0).floor(),
                4 if row.is_multiple_of(17) => f64::NAN,
                _ => noise(column, row),
            };
            (0..n_rows).map(value).collect()
        })
        .collect();
    let target = |row: usize| {
        let step = if columns[0][row] > 0.4 { 3.0 } else { 0.0 };
        step + columns[1][row] * columns[3][row] + noise(9, row)
    };
    let targets = (0..n_rows).map(target).collect();
    Table { categories: vec![None, None, None, Some(12), None], columns, targets, weights }
}

#[test]
fn large_trees_do_not_depend_on_search_or_threads() {
    let some: Vec<f64> = (0..9000).map(|row| 0.5 + (row % 7) as f64 / 4.0).collect();
    for weights in [None, Some(some)] {
        let table = large_table(9000, weights);
        for max_leaf_nodes in [None, Some(6), Some(400)] {
            let params = TreeParams { max_depth: Some(9), max_leaf_nodes, ..TreeParams::default() };
            let shown = |search, threads| {
                table.grow(&params, search, threads, |training, grown| {
                    let order = preorder(&grown.nodes);
                    let node = |at: usize| {
                        let node = &grown.nodes[at];
                        let split = node.split.as_ref();
                        let mean = training.mean(&node.tally);
                        format!("{mean:?} {:?} {:?}", node.impurity, split.map(|s| &s.choice))
                    };
                    order.into_iter().map(node).collect::<Vec<_>>()
                })
            };
            let expected = shown(Search::Sorted, 1);
            assert!(expected.len() > 10);
            for (search, threads) in
                [(Search::Fast, 1), (Search::Fast, 2), (Search::Fast, 7), (Search::BinsOnly(50), 2)]
            {
                assert_eq!(shown(search, threads), expected, "{search:?}, {threads} threads");
            }
        }
    }
}

#[test]
fn whole_weights_are_copies() {
    let times: Vec<usize> = (0..300).map(|row| row % 4).collect();
    let weighted = large_table(300, Some(times.iter().map(|&n| n as f64).collect()));
    let copies: Vec<usize> =
        (0..300).flat_map(|row| std::iter::repeat_n(row, times[row])).collect();
    let of = |values: &Vec<f64>| copies.iter().map(|&row| values[row]).collect::<Vec<f64>>();
    let copied = Table {
        columns: weighted.columns.iter().map(of).collect(),
        targets: of(&weighted.targets),
        weights: None,
        ..weighted.clone()
    };
    let params = TreeParams { max_depth: Some(5), ..TreeParams::default() };
    let shown = |table: &Table| {
        table.grow(&params, Search::Fast, 1, |training, grown| {
            let order = preorder(&grown.nodes);
            let node = |at: usize| {
                let node = &grown.nodes[at];
                let choice = node.split.as_ref().map(|split| &split.choice);
                let choice = choice.map(|choice| (choice.feature(), choice.gain.to_bits()));
                (training.mean(&node.tally).to_bits(), choice)
            };
            order.into_iter().map(node).collect::<Vec<_>>()
        })
    };
    assert_eq!(shown(&weighted), shown(&copied));
}

/// `testdata/regression.csv` is written by `scripts/make_fixtures.py`.
#[test]
fn predictions_are_those_of_scikit_learn() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/regression.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let number = |at: usize| rows.iter().map(move |row| row[at].parse::<f64>().unwrap());
    let feature =
        |at: usize| rows.iter().map(move |row| f64::from(row[at].parse::<f32>().unwrap()));
    let table = Table {
        columns: (0..6).map(|at| feature(at).collect()).collect(),
        categories: vec![None; 6],
        targets: number(6).collect(),
        weights: None,
    };
    let predicted: Vec<f64> = number(7).collect();
    let params = TreeParams { min_samples_leaf: RowCount::Count(5), ..TreeParams::default() };
    table.grow(&params, Search::Fast, 1, |training, grown| {
        let leaves = grown.nodes.iter().filter(|node| node.split.is_none());
        assert!(leaves.clone().count() > 40);
        for leaf in leaves {
            let mean = training.mean(&leaf.tally);
            for &row in &grown.rows[leaf.range.clone()] {
                let expected = predicted[row as usize];
                assert!((mean - expected).abs() <= 1e-9, "row {row}: {mean}, {expected}");
            }
        }
    });
}

proptest! {
    #[test]
    fn no_split_inside_a_bin_beats_its_bound(
        left in prop::collection::vec(-9.0..9.0f64, 0..5),
        inside in prop::collection::vec((-9.0..9.0f64, any::<bool>()), 2..7),
        right in prop::collection::vec(-9.0..9.0f64, 0..5),
    ) {
        let parts: Vec<f64> = left.iter().copied()
            .chain(inside.iter().map(|row| row.0))
            .chain(right.iter().copied())
            .collect();
        let column = RealColumn::new(parts.into(), &RowWeights::Unit);
        let of = |rows: std::ops::Range<usize>, goes: &dyn Fn(usize) -> bool| {
            let mut sums = [RealSum::default()];
            rows.filter(|&row| goes(row)).for_each(|row| sums[0] += column.rows[row].into());
            sums
        };
        let (start, end) = (left.len(), left.len() + inside.len());
        let all = of(0..column.rows.len(), &|_| true);
        let (before, extra) = (of(0..start, &|_| true), of(start..end, &|_| true));
        let split = of(0..end, &|row| row < start || inside[row - start].1);
        let edges = [before, of(0..end, &|_| true)].map(|sums| column.measure.purity(&sums, &all));
        let bound = column.measure.bound(&before, &extra, &all).max(edges[0]).max(edges[1]);
        let purity = column.measure.purity(&split, &all);
        prop_assert!(purity <= bound + column.measure.tolerance(&all), "{purity} > {bound}");
    }
}
