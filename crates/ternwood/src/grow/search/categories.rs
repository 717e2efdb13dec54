//! The best split of a categorical feature, from the sums of its categories alone.

use super::candidate::{Candidate, Contender, Contest, Entrant, Leader, Place};
use super::{SearchRules, Ties, midpoint};
use crate::exec::Exec;
use crate::grow::target::{Cell, Measure, Target};
use crate::recipe::{CategoryGain, MissingValues};
use crate::tree::{CategoryCut, CategoryPlace, Missing, Test};
use std::ops::AddAssign;

/// The sums of a node's categories.
#[derive(Debug, Clone)]
pub(super) struct NodeCategories<T: Target> {
    /// The categories of the node, ascending.
    ids: Vec<u32>,
    rows: Vec<u32>,
    /// Category by category.
    sums: Vec<T::Sum>,
    missing_rows: usize,
    missing_sums: Vec<T::Sum>,
}

impl<T: Target> NodeCategories<T> {
    fn new(width: usize) -> Self {
        Self {
            ids: Vec::new(),
            rows: Vec::new(),
            sums: Vec::new(),
            missing_rows: 0,
            missing_sums: vec![T::Sum::default(); width],
        }
    }

    /// From the cells of all categories, by id, and those of missing values.
    pub(super) fn from_cells<C: Cell<Target = T>>(
        cells: &[C],
        missing: &[C],
        width: usize,
    ) -> Self {
        let mut categories = Self::new(width);
        for (id, cells) in (0..).zip(cells.chunks_exact(width)) {
            let rows: u32 = cells.iter().map(|cell| cell.n_rows()).sum();
            if rows > 0 {
                categories.push(id, rows, cells.iter().map(|cell| cell.sum()));
            }
        }
        categories.missing_rows = missing.iter().map(|cell| cell.n_rows()).sum::<u32>() as usize;
        let sums = categories.missing_sums.iter_mut().zip(missing);
        sums.for_each(|(sum, cell)| *sum = cell.sum());
        categories
    }

    /// From the codes and targets of rows; the code of a missing value is [`MISSING`].
    pub(super) fn from_rows(
        rows: impl ExactSizeIterator<Item = (u32, T::Row)>,
        n_codes: usize,
        measure: &T::Measure,
    ) -> Self {
        let width = measure.width();
        let mut categories = Self::new(width);
        let mut add_missing = |row: T::Row| {
            categories.missing_rows += 1;
            measure.add(&mut categories.missing_sums, row);
        };
        if rows.len() < n_codes {
            // Few rows: sorting them is faster than passing all categories.
            let mut known = Vec::with_capacity(rows.len());
            for (code, row) in rows {
                match code {
                    MISSING => add_missing(row),
                    _ => known.push((code, row)),
                }
            }
            known.sort_unstable_by_key(|&(code, _)| code);
            let mut sums = vec![T::Sum::default(); width];
            for group in known.chunk_by(|a, b| a.0 == b.0) {
                sums.fill(T::Sum::default());
                group.iter().for_each(|&(_, row)| measure.add(&mut sums, row));
                categories.push(group[0].0, group.len() as u32, sums.iter().copied());
            }
            return categories;
        }
        let mut n_rows = vec![0; n_codes];
        let mut sums = vec![T::Sum::default(); n_codes * width];
        for (code, row) in rows {
            if code == MISSING {
                add_missing(row);
                continue;
            }
            n_rows[code as usize] += 1;
            measure.add(&mut sums[code as usize * width..][..width], row);
        }
        for ((id, rows), sums) in (0..).zip(n_rows).zip(sums.chunks_exact(width)) {
            if rows > 0 {
                categories.push(id, rows, sums.iter().copied());
            }
        }
        categories
    }

    fn push(&mut self, id: u32, rows: u32, sums: impl Iterator<Item = T::Sum>) {
        self.ids.push(id);
        self.rows.push(rows);
        self.sums.extend(sums);
    }

    fn width(&self) -> usize {
        self.missing_sums.len()
    }

    fn sums_of(&self, index: usize) -> &[T::Sum] {
        &self.sums[index * self.width()..][..self.width()]
    }

    fn all_sums(&self) -> Vec<&[T::Sum]> {
        (0..self.ids.len()).map(|index| self.sums_of(index)).collect()
    }

    fn n_rows(&self) -> usize {
        self.rows.iter().map(|&rows| rows as usize).sum()
    }

    fn total(&self) -> Vec<T::Sum> {
        let mut total = vec![T::Sum::default(); self.width()];
        self.sums.chunks_exact(self.width()).for_each(|sums| add(&mut total, sums));
        total
    }

    /// Without categories rarer than allowed, and without missing values if they are unknown.
    fn known(self, rules: &SearchRules<'_, T>) -> Self {
        let mut known = Self::new(self.width());
        if rules.missing != MissingValues::Unknown {
            known.missing_rows = self.missing_rows;
            known.missing_sums.clone_from(&self.missing_sums);
        }
        for index in 0..self.ids.len() {
            if self.rows[index] >= rules.min_category_rows {
                let sums = self.sums_of(index).iter().copied();
                known.push(self.ids[index], self.rows[index], sums);
            }
        }
        known
    }
}

fn add<S: Copy + AddAssign>(total: &mut [S], sums: &[S]) {
    total.iter_mut().zip(sums).for_each(|(total, &sum)| *total += sum);
}

/// The code of a missing value.
pub(super) const MISSING: u32 = u32::MAX;

/// Enters the candidates of a categorical feature. Returns the best of them instead if its gain is not
/// to be compared before it is corrected: for rows that are unknown at its splits, or for chance.
pub(super) fn search<T: Target, P: Copy>(
    categories: NodeCategories<T>,
    feature: Contender,
    rules: &SearchRules<'_, T>,
    contest: Contest<'_, T>,
    leader: &mut Leader<'_, T, P>,
) -> Option<Candidate<P>> {
    if rules.missing != MissingValues::Unknown {
        enter_present(&categories, feature, leader);
    }
    let categories = categories.known(rules);
    let n_rows = categories.n_rows() + categories.missing_rows;
    let mut sums = categories.total();
    add(&mut sums, &categories.missing_sums);
    let chance = match rules.category_gain {
        CategoryGain::AboveChance => chance_gain(&categories, &sums, contest, rules.ties),
        CategoryGain::Measured => 0.0,
    };
    if n_rows == contest.n_rows && chance == 0.0 {
        enter_all(&categories, feature, (contest, rules.exec), leader);
        return None;
    }
    contest.with_chance(chance).of_part(&sums, n_rows, |contest, leader| {
        enter_all(&categories, feature, (contest, rules.exec), leader);
    })
}

/// So many groups gain by chance no more than the thresholds of a number do.
const GROUPS_LIKE_NUMBERS: usize = 7;

/// The part of the gain that is owed to chance, in a node with these sums.
///
/// If a column tells nothing, separating all of its m groups (categories, and missing values) has the expected
/// gain `impurity * (m - 1) / (n - 1)`: for gini exactly, whatever their sizes. Ordering the groups by class share
/// and cutting once keeps most of it, all of it where groups have one row each. The thresholds of a number gain
/// by chance too, about as much as [`GROUPS_LIKE_NUMBERS`]; only what is more is unfair.
fn chance_gain<T: Target>(
    categories: &NodeCategories<T>,
    sums: &[T::Sum],
    contest: Contest<'_, T>,
    ties: Ties<'_>,
) -> f64 {
    let n_groups = categories.ids.len() + usize::from(categories.missing_rows > 0);
    if n_groups <= GROUPS_LIKE_NUMBERS {
        return 0.0;
    }
    let rows = (categories.n_rows() + categories.missing_rows) as f64;
    let n = match ties {
        // A row of weight k counts like k rows. Weights far below 1 must not make all gains chance.
        Ties::Lowest => rows.max(contest.measure.sample_weight(sums)),
        // In the bag of a tree of a forest, copies of a row tell nothing more.
        Ties::Random(_) => rows,
    };
    let excess = (n_groups - GROUPS_LIKE_NUMBERS) as f64;
    contest.impurity(sums) * (excess / (n - 1.0))
}

fn enter_all<T: Target, P: Copy>(
    categories: &NodeCategories<T>,
    feature: Contender,
    (contest, exec): (Contest<'_, T>, &Exec),
    leader: &mut Leader<'_, T, P>,
) {
    let measure = contest.measure;
    let missing_rows = categories.missing_rows;
    let sides: &[Missing] = match missing_rows {
        0 => &[Missing::Unknown],
        _ => &[Missing::Left, Missing::Right],
    };
    for (axis, direction) in (0..).zip(T::axes(measure, &categories.all_sums())) {
        if exec.is_cancelled() {
            return;
        }
        let positions = (0..categories.ids.len())
            .map(|index| (T::position(measure, &direction, categories.sums_of(index)), index));
        let mut ordered: Vec<(f64, usize)> = positions.collect();
        ordered.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for &missing in sides {
            leader.set_entrant(Entrant { feature, axis, missing, missing_rows });
            let (mut left, mut left_rows) = match missing {
                Missing::Left => (categories.missing_sums.clone(), missing_rows),
                _ => (vec![T::Sum::default(); categories.width()], 0),
            };
            for pair in ordered.windows(2) {
                let [(here, index), (next, _)] = [pair[0], pair[1]];
                add(&mut left, categories.sums_of(index));
                left_rows += categories.rows[index] as usize;
                if here < next {
                    leader.offer(&left, left_rows, Place::OnAxis([here, next]));
                }
            }
        }
    }
}

/// Enters "present | missing". A rare category is present like any other.
fn enter_present<T: Target, P: Copy>(
    categories: &NodeCategories<T>,
    feature: Contender,
    leader: &mut Leader<'_, T, P>,
) {
    let (present_rows, missing_rows) = (categories.n_rows(), categories.missing_rows);
    if missing_rows == 0 || present_rows == 0 {
        return;
    }
    leader.set_entrant(Entrant { feature, axis: 0, missing: Missing::Right, missing_rows });
    leader.offer(&categories.total(), present_rows, Place::OnAxis([0.0; 2]));
}

/// The test of a winning candidate that separates categories.
pub(super) fn test<T: Target, P>(
    categories: NodeCategories<T>,
    best: &Candidate<P>,
    between: [f64; 2],
    rules: &SearchRules<'_, T>,
) -> Test {
    let categories = categories.known(rules);
    let measure = rules.training.measure();
    let mut all_axes = T::axes(measure, &categories.all_sums());
    let axis = all_axes.swap_remove(best.rank.axis as usize);
    let all = categories.total();
    let places = (0..categories.ids.len()).map(|index| CategoryPlace {
        category: categories.ids[index],
        rows: categories.rows[index],
        position: T::position(measure, &axis, categories.sums_of(index)),
        standard_error: T::standard_error(measure, &axis, categories.sums_of(index), &all),
    });
    let places = places.collect();
    let cut = CategoryCut::new(axis, midpoint(between[0], between[1]), 0.0, places);
    let cut = cut.expect("the categories of a split lie on both sides of it");
    Test::of_categories(best.feature, cut).with_missing(best.missing)
}
