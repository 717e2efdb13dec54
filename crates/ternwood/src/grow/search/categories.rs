//! The best split of a categorical feature, from the class counts of its categories alone.

use super::axes::{axes, position, standard_error};
use super::candidate::{Candidate, Contender, Contest, Entrant, Leader, Place};
use super::cell::Cell;
use super::midpoint;
use super::{SearchRules, Ties};
use crate::exec::Exec;
use crate::recipe::{CategoryGain, MissingValues};
use crate::tree::{CategoryCut, CategoryPlace, Missing, Test};

/// The class counts of a node's categories.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeCategories {
    /// The categories of the node, ascending.
    ids: Vec<u32>,
    rows: Vec<u32>,
    /// Class counts before class weights, category by category.
    counts: Vec<f64>,
    missing_rows: usize,
    missing_counts: Vec<f64>,
}

impl NodeCategories {
    pub(super) fn new(n_classes: usize) -> Self {
        Self { missing_counts: vec![0.0; n_classes], ..Self::default() }
    }

    /// From the class counts of all categories, by id, and those of missing values.
    pub(super) fn from_counts<T: Cell>(counts: &[T], missing: &[T], n_classes: usize) -> Self {
        let mut categories = Self::new(n_classes);
        for (id, counts) in (0..).zip(counts.chunks_exact(n_classes)) {
            let rows: u32 = counts.iter().map(|cell| cell.rows()).sum();
            if rows > 0 {
                categories.push(id, rows, counts.iter().map(|cell| cell.weight()));
            }
        }
        categories.missing_rows = missing.iter().map(|cell| cell.rows()).sum::<u32>() as usize;
        let counts = categories.missing_counts.iter_mut().zip(missing);
        counts.for_each(|(count, of_class)| *count = of_class.weight());
        categories
    }

    /// From the codes, classes and weights of rows; the code of a missing value is
    /// [`MISSING`].
    pub(super) fn from_rows(
        rows: impl ExactSizeIterator<Item = (u32, u32, f64)>,
        n_codes: usize,
        n_classes: usize,
    ) -> Self {
        let mut categories = Self::new(n_classes);
        let mut add_missing = |class: u32, weight: f64| {
            categories.missing_rows += 1;
            categories.missing_counts[class as usize] += weight;
        };
        if rows.len() < n_codes {
            // Few rows: sorting them is faster than passing all categories.
            let mut known = Vec::with_capacity(rows.len());
            for (code, class, weight) in rows {
                match code {
                    MISSING => add_missing(class, weight),
                    _ => known.push((code, class, weight)),
                }
            }
            known.sort_unstable_by_key(|&(code, ..)| code);
            let mut counts = vec![0.0; n_classes];
            for group in known.chunk_by(|a, b| a.0 == b.0) {
                counts.fill(0.0);
                group.iter().for_each(|&(_, class, weight)| counts[class as usize] += weight);
                categories.push(group[0].0, group.len() as u32, counts.iter().copied());
            }
            return categories;
        }
        let mut n_rows = vec![0; n_codes];
        let mut counts = vec![0.0; n_codes * n_classes];
        for (code, class, weight) in rows {
            if code == MISSING {
                add_missing(class, weight);
                continue;
            }
            n_rows[code as usize] += 1;
            counts[code as usize * n_classes + class as usize] += weight;
        }
        for ((id, rows), counts) in (0..).zip(n_rows).zip(counts.chunks_exact(n_classes)) {
            if rows > 0 {
                categories.push(id, rows, counts.iter().copied());
            }
        }
        categories
    }

    fn push(&mut self, id: u32, rows: u32, counts: impl Iterator<Item = f64>) {
        self.ids.push(id);
        self.rows.push(rows);
        self.counts.extend(counts);
    }

    fn n_classes(&self) -> usize {
        self.missing_counts.len()
    }

    fn counts_of(&self, index: usize) -> &[f64] {
        &self.counts[index * self.n_classes()..][..self.n_classes()]
    }

    fn counts(&self) -> Vec<&[f64]> {
        (0..self.ids.len()).map(|index| self.counts_of(index)).collect()
    }

    fn n_rows(&self) -> usize {
        self.rows.iter().map(|&rows| rows as usize).sum()
    }

    fn total(&self) -> Vec<f64> {
        let mut total = vec![0.0; self.n_classes()];
        for counts in self.counts.chunks_exact(self.n_classes()) {
            total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        total
    }

    /// Without categories rarer than allowed, and without missing values if they are unknown.
    fn known(self, rules: &SearchRules<'_>) -> Self {
        let mut known = Self::new(self.n_classes());
        if rules.missing != MissingValues::Unknown {
            known.missing_rows = self.missing_rows;
            known.missing_counts.clone_from(&self.missing_counts);
        }
        for index in 0..self.ids.len() {
            if self.rows[index] >= rules.min_category_rows {
                known.push(
                    self.ids[index],
                    self.rows[index],
                    self.counts_of(index).iter().copied(),
                );
            }
        }
        known
    }
}

/// The code of a missing value.
pub(super) const MISSING: u32 = u32::MAX;

/// Enters the candidates of a categorical feature. Returns the best of them instead if its gain is not
/// to be compared before it is corrected: for rows that are unknown at its splits, or for chance.
pub(super) fn search(
    categories: NodeCategories,
    feature: Contender,
    rules: &SearchRules<'_>,
    contest: Contest<'_>,
    leader: &mut Leader<'_>,
) -> Option<Candidate> {
    if rules.missing != MissingValues::Unknown {
        enter_present(&categories, feature, leader);
    }
    let categories = categories.known(rules);
    let n_rows = categories.n_rows() + categories.missing_rows;
    let mut counts = categories.total();
    counts.iter_mut().zip(&categories.missing_counts).for_each(|(sum, more)| *sum += more);
    let chance = match rules.category_gain {
        CategoryGain::AboveChance => chance_gain(&categories, &counts, contest, rules.ties),
        CategoryGain::Measured => 0.0,
    };
    if n_rows == contest.n_rows && chance == 0.0 {
        enter_all(&categories, feature, (contest, rules.exec), leader);
        return None;
    }
    contest.with_chance(chance).of_part(&counts, n_rows, |contest, leader| {
        enter_all(&categories, feature, (contest, rules.exec), leader);
    })
}

/// So many groups gain by chance no more than the thresholds of a number do.
const GROUPS_LIKE_NUMBERS: usize = 7;

/// The part of the gain that is owed to chance, in a node with these class counts.
///
/// If a column tells nothing, separating all of its m groups (categories, and missing values) has the expected
/// gain `impurity * (m - 1) / (n - 1)`: for gini exactly, whatever their sizes. Ordering the groups by class share
/// and cutting once keeps most of it, all of it where groups have one row each. The thresholds of a number gain
/// by chance too, about as much as [`GROUPS_LIKE_NUMBERS`]; only what is more is unfair.
fn chance_gain(
    categories: &NodeCategories,
    counts: &[f64],
    contest: Contest<'_>,
    ties: Ties<'_>,
) -> f64 {
    let n_groups = categories.ids.len() + usize::from(categories.missing_rows > 0);
    if n_groups <= GROUPS_LIKE_NUMBERS {
        return 0.0;
    }
    let rows = (categories.n_rows() + categories.missing_rows) as f64;
    let n = match ties {
        // A row of weight k counts like k rows. Weights far below 1 must not make all gains chance.
        Ties::Lowest => rows.max(counts.iter().sum()),
        // In the bag of a tree of a forest, copies of a row tell nothing more.
        Ties::Random(_) => rows,
    };
    let excess = (n_groups - GROUPS_LIKE_NUMBERS) as f64;
    contest.purity.impurity(counts) * (excess / (n - 1.0))
}

fn enter_all(
    categories: &NodeCategories,
    feature: Contender,
    (contest, exec): (Contest<'_>, &Exec),
    leader: &mut Leader<'_>,
) {
    let class_factors = contest.purity.class_factors;
    let missing_rows = categories.missing_rows;
    let sides: &[Missing] = match missing_rows {
        0 => &[Missing::Unknown],
        _ => &[Missing::Left, Missing::Right],
    };
    for (axis, direction) in (0..).zip(axes(&categories.counts(), class_factors)) {
        if exec.is_cancelled() {
            return;
        }
        let positions = (0..categories.ids.len())
            .map(|index| (position(&direction, categories.counts_of(index), class_factors), index));
        let mut ordered: Vec<(f64, usize)> = positions.collect();
        ordered.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for &missing in sides {
            leader.set_entrant(Entrant { feature, axis, missing, missing_rows });
            let (mut left, mut left_rows) = match missing {
                Missing::Left => (categories.missing_counts.clone(), missing_rows),
                _ => (vec![0.0; categories.n_classes()], 0),
            };
            for pair in ordered.windows(2) {
                let [(here, index), (next, _)] = [pair[0], pair[1]];
                let counts = categories.counts_of(index);
                left.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                left_rows += categories.rows[index] as usize;
                if here < next {
                    leader.offer(&left, left_rows, Place::OnAxis([here, next]));
                }
            }
        }
    }
}

/// Enters "present | missing". A rare category is present like any other.
fn enter_present(categories: &NodeCategories, feature: Contender, leader: &mut Leader<'_>) {
    let (present_rows, missing_rows) = (categories.n_rows(), categories.missing_rows);
    if missing_rows == 0 || present_rows == 0 {
        return;
    }
    leader.set_entrant(Entrant { feature, axis: 0, missing: Missing::Right, missing_rows });
    leader.offer(&categories.total(), present_rows, Place::OnAxis([0.0; 2]));
}

/// The test of a winning candidate that separates categories.
pub(super) fn test(
    categories: NodeCategories,
    best: &Candidate,
    between: [f64; 2],
    rules: &SearchRules<'_>,
) -> Test {
    let categories = categories.known(rules);
    let class_factors = rules.training.class_factors();
    let mut all_axes = axes(&categories.counts(), class_factors);
    let axis = all_axes.swap_remove(best.rank.axis as usize);
    let places = (0..categories.ids.len()).map(|index| CategoryPlace {
        category: categories.ids[index],
        rows: categories.rows[index],
        position: position(&axis, categories.counts_of(index), class_factors),
        standard_error: standard_error(&axis, categories.counts_of(index), class_factors),
    });
    let places = places.collect();
    let cut = CategoryCut::new(axis, midpoint(between[0], between[1]), 0.0, places);
    let cut = cut.expect("the categories of a split lie on both sides of it");
    Test::of_categories(best.feature, cut).with_missing(best.missing)
}
