//! Were these rows trained on?

use super::shared_rows::{NumberShared, SharedRows, chance_of_both};
use super::{RowSketch, TrainingRows};
use crate::error::{Error, ErrorKind, about};
use crate::verdict::binomial_cdf;

/// What the sketch of the training rows says of other rows: how many of them were trained on.
///
/// Fresh rows may equal training rows by chance, where there are few distinct ones. How often is
/// known from the rows themselves: if n training rows and m given ones come from the same source,
/// any m of the n + m are as likely to be the given ones. Of a row that occurs c times among all of
/// them, copies are then in both sets with the probability
///
/// ```text
/// 1 - P(all c in training) - P(all c given)  =  2 n m / ((n + m) (n + m - 1))  for c = 2
/// ```
///
/// The number of distinct rows in both sets is compared with the sum of such events; if it has a
/// probability below [`LEVEL`](Self::LEVEL), the rows were trained on. Where all rows are common,
/// copies in both sets are no surprise, and nobody is accused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeenRows {
    /// The number of given rows.
    pub rows: u64,
    /// How many of them could be compared.
    pub compared: u64,
    /// How many of those equal a training row, its class included.
    pub equal: u64,
    /// The estimated share of given rows that were trained on: equal ones, less what training rows
    /// have in equals among themselves.
    pub share: f64,
    /// The probability that as many distinct rows or more are in both sets by chance.
    pub p_value: f64,
    /// The smallest share that would be noticed in nine of ten cases. `None` if none would be.
    pub detectable: Option<f64>,
}

impl SeenRows {
    /// The probability with which fresh rows are taken for rows that were trained on, at most: in
    /// fewer than one of a thousand cases.
    pub const LEVEL: f64 = 0.0005;

    /// What is known of rows that are not called trained on, in one line.
    #[must_use]
    pub fn assurance(&self) -> String {
        match self.detectable {
            Some(share) => {
                format!("not trained on, as far as can be told: {} would show", about(share))
            }
            None => "too few distinct rows to tell whether they were trained on".to_owned(),
        }
    }

    /// One sentence on what that means for figures from these rows.
    #[must_use]
    pub fn warning(&self) -> String {
        let share = about(self.share);
        format!("{share} of these {} rows were trained on: what follows is too good", self.rows)
    }

    /// The error of rows that were to be new, and are not.
    pub(crate) fn error(&self) -> Error {
        let Self { rows, compared, equal, share, p_value, .. } = *self;
        ErrorKind::TrainedOn { rows, compared, equal, share, p_value }.into()
    }

    /// True if too many of the rows are among the training rows.
    #[must_use]
    pub fn are_trained_on(&self) -> bool {
        self.p_value < Self::LEVEL
    }
}

impl TrainingRows {
    /// Compares other rows with these; they have the same features. `None` if one of them has no
    /// sketch.
    #[must_use]
    pub fn seen(&self, given: &Self) -> Option<SeenRows> {
        let shared = SharedRows::new(self.sketch()?, given.sketch()?);
        let by_chance = shared.by_chance(self.rows(), given.rows());
        let p_value = by_chance.at_least(shared.shared);
        // How often a fresh row equals a training row: as often as training rows do.
        let natural = ratio(shared.twins, shared.training);
        let equal = ratio(shared.seen, shared.given);
        let share = if natural < 1.0 { (equal - natural) / (1.0 - natural) } else { 0.0 };
        let copies = 1.0 - natural;
        let pair = chance_of_both(2, self.rows(), given.rows());
        let most = (shared.given as usize).min(RowSketch::SIZE);
        let critical = critical_number(by_chance.clone(), pair, most);
        let detectable = critical
            .and_then(|critical| smallest_share(critical, &by_chance, shared.given, copies));
        Some(SeenRows {
            rows: given.rows(),
            compared: shared.given,
            equal: shared.seen,
            share: share.clamp(0.0, 1.0),
            p_value,
            detectable,
        })
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The number of shared rows that would be noticed: copies are added to what is shared by chance,
/// and each makes a pair that is in both sets.
fn critical_number(mut by_chance: NumberShared, pair: f64, most: usize) -> Option<usize> {
    let expected = by_chance.mean().round() as usize;
    let copies = (1..=most).find(|copies| {
        by_chance.add(pair);
        by_chance.at_least(expected + copies) < SeenRows::LEVEL
    });
    copies.map(|copies| expected + copies)
}

/// The smallest share of trained-on rows with which so many are shared in nine of ten cases, by
/// chance and because a share `unique` of the copies has no equal anyway.
fn smallest_share(
    critical: usize,
    by_chance: &NumberShared,
    compared: u64,
    unique: f64,
) -> Option<f64> {
    let found = |share: f64| {
        by_chance.with_more(critical, |copies| match copies.checked_sub(1) {
            None => 1.0,
            Some(fewer) => 1.0 - binomial_cdf(compared as usize, fewer, share * unique),
        })
    };
    let enough = |share: f64| found(share) >= 0.9;
    if !enough(1.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..30 {
        let middle = f64::midpoint(low, high);
        if enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}
