//! Were these rows trained on?

use super::row_filter::RowFilter;
use super::row_notes::Twins;
use super::training_rows::TrainingRows;
use crate::dataset::{DatasetView, HashUse, RowHasher};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::Exec;
use crate::stats::binomial_cdf;

/// What a model's [filter](RowFilter) says of other rows.
///
/// The m distinct eligible rows without a twin among themselves are looked up; k of them match. A row that
/// the model was not trained on matches by chance with the probability q, the share of bits that are set,
/// or because it has a twin in training, with the share τ of training rows that have one. If
///
/// ```text
/// P(Binomial(m, q + (1 - q) τ') ≥ k)  ≤  10^-5
/// ```
///
/// the rows were trained on; τ' is τ with three standard errors and three rows more. If τ is that of a sample,
/// τ' is at least the share of rows that repeat another, as the number of bits that are set shows it: a sample of
/// distinct rows may have none of those that are repeated thousands of times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeenRows {
    /// Too many match: some were trained on.
    TrainedOn(ComparedRows),
    /// As many match as of new rows.
    New(ComparedRows),
    /// Nobody can tell.
    Unknown(NotCompared),
}

/// Rows that were compared with the training rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparedRows {
    /// The number of rows.
    pub rows: u64,
    /// How many distinct rows could be compared.
    pub compared: u64,
    /// How many of those match.
    pub matching: u64,
    /// The probability with which a new row matches.
    pub by_chance: f64,
    /// The probability that as many new rows match, or more.
    pub p_value: f64,
    /// The largest probability with which a new row might match.
    cautious: f64,
}

/// Why rows could not be compared with the training rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NotCompared {
    /// The model has no filter.
    NoFilter,
    /// This share of the training rows have twins.
    TwinsInTraining(f64),
    /// This share of the given rows have twins among themselves.
    Twins(f64),
    /// Only this many distinct rows could be compared.
    TooFew(u64),
}

impl SeenRows {
    /// The largest probability with which new rows are taken for rows that were trained on. With 10^-6,
    /// thirty training rows would not be recognised: .63^30 is slightly more.
    pub const LEVEL: f64 = 1e-5;

    /// The fewest rows of which anything is said.
    pub const FEWEST: u64 = 30;

    /// True if too many of the rows are among the training rows.
    #[must_use]
    pub fn are_trained_on(&self) -> bool {
        self.trained_on().is_some()
    }

    /// The comparison that says that rows were trained on.
    #[must_use]
    pub fn trained_on(&self) -> Option<ComparedRows> {
        match self {
            Self::TrainedOn(compared) => Some(*compared),
            Self::New(_) | Self::Unknown(_) => None,
        }
    }
}

impl ComparedRows {
    /// The estimated share of rows that were trained on: matches beyond those of chance.
    #[must_use]
    pub fn share(&self) -> f64 {
        let matching = self.matching as f64 / self.compared as f64;
        ((matching - self.by_chance) / (1.0 - self.by_chance)).clamp(0.0, 1.0)
    }

    /// The smallest share of rows trained on that would be noticed in nine of ten cases. `None` if none
    /// would be.
    #[must_use]
    pub fn detectable(&self) -> Option<f64> {
        // The fewest matches that are too many.
        let compared = self.compared;
        let are_too_many =
            |matching| at_least(matching, compared, self.cautious) <= SeenRows::LEVEL;
        let (mut few, mut many) = (0, compared + 1);
        while few + 1 < many {
            let middle = few.midpoint(many);
            if are_too_many(middle) { many = middle } else { few = middle }
        }
        let found = |share: f64| {
            many <= compared
                && at_least(many, compared, share + (1.0 - share) * self.by_chance) >= 0.9
        };
        if !found(1.0) {
            return None;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..20 {
            let middle = f64::midpoint(low, high);
            if found(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// The error of rows that should be new, and are not.
    pub(crate) fn error(&self) -> Error {
        let Self { rows, compared, matching, p_value, .. } = *self;
        ErrorKind::TrainedOn { rows, compared, matching, share: self.share(), p_value }.into()
    }
}

/// `P(Binomial(whole, p) >= part)`.
fn at_least(part: u64, whole: u64, p: f64) -> f64 {
    // That many hits or more are as many misses or fewer.
    if part > whole { 0.0 } else { binomial_cdf(whole as usize, (whole - part) as usize, 1.0 - p) }
}

impl TrainingRows {
    /// Compares other rows with these; their weights are ignored. They have the same features and
    /// categories.
    ///
    /// # Errors
    /// Cancellation.
    pub fn seen<'a>(&self, data: impl Into<DatasetView<'a>>, exec: &Exec) -> Result<SeenRows> {
        let data = data.into();
        let unknown = |why| Ok(SeenRows::Unknown(why));
        let (filter, twins) = match (self.filter(), self.twins()) {
            (Some(filter), Some(twins)) => (filter, twins),
            (None, Some(twins)) if twins.are_too_many() => {
                return unknown(NotCompared::TwinsInTraining(twins.share()));
            }
            _ => return unknown(NotCompared::NoFilter),
        };
        let hashes = RowHasher::hashes(HashUse::Recognition, &data, exec);
        exec.check()?;
        Ok(compared(filter, twins, hashes))
    }
}

fn compared(filter: &RowFilter, twins: Twins, mut hashes: Vec<u64>) -> SeenRows {
    hashes.sort_unstable();
    let rows = hashes.len() as u64;
    let alone = || hashes.chunk_by(|one, next| one == next).filter(|copies| copies.len() == 1);
    let own_twins = Twins { part: rows - alone().count() as u64, whole: rows };
    if own_twins.are_too_many() {
        return SeenRows::Unknown(NotCompared::Twins(own_twins.share()));
    }
    let found = alone().filter_map(|row| filter.matches(row[0]));
    let (compared, matching) =
        found.fold((0, 0), |(all, matching), matches| (all + 1, matching + u64::from(matches)));
    if compared < SeenRows::FEWEST {
        return SeenRows::Unknown(NotCompared::TooFew(compared));
    }
    let set = filter.share_set();
    let with_twins = |share: f64| set + (1.0 - set) * share;
    let is_sample = twins.whole < filter.rows();
    let repeats = if is_sample { filter.share_of_repeats() } else { 0.0 };
    let by_chance = with_twins(twins.share());
    let cautious = with_twins(twins.cautious_share().max(repeats));
    let p_value = at_least(matching, compared, cautious);
    let compared = ComparedRows { rows, compared, matching, by_chance, p_value, cautious };
    if p_value <= SeenRows::LEVEL { SeenRows::TrainedOn(compared) } else { SeenRows::New(compared) }
}

#[cfg(test)]
mod tests {
    use super::super::row_filter::FilterPlan;
    use super::*;
    use crate::dataset::mix;

    #[test]
    fn a_tail_by_hand() {
        // Two of three heads or more: 4 of 8.
        assert!((at_least(2, 3, 0.5) - 0.5).abs() < 1e-15);
        assert_eq!((at_least(0, 3, 0.5), at_least(4, 3, 0.5)), (1.0, 0.0));
    }

    /// Three in twenty of a million rows are of 600 kinds. One sample of twins in twenty has none of them, but new rows
    /// are often of such a kind.
    #[test]
    fn rows_of_common_kinds_are_not_accused() {
        const ROWS: u64 = 1 << 20;
        const KINDS: u64 = 600;
        let mut next = 0;
        let mut random = |bound: u64| {
            next += 1;
            mix(next) % bound
        };
        let mut draw = |rows: u64, source: u64| -> Vec<u64> {
            let row = |row| match random(20) {
                0..3 => mix(random(KINDS)),
                _ => mix((source << 40) + row + KINDS),
            };
            (0..rows).map(row).collect()
        };
        let training = draw(ROWS, 1);
        let twins = Twins { part: 0, whole: 4096 };
        let filter = RowFilter::of(FilterPlan::new(3, ROWS), &training);
        let mut compared_draws = 0;
        for source in 2..102 {
            let found = compared(&filter, twins, draw(1000, source));
            assert!(!found.are_trained_on(), "{found:?}");
            compared_draws += usize::from(matches!(found, SeenRows::New(_)));
        }
        assert!(compared_draws > 90, "{compared_draws} of 100");
    }

    /// What is called detectable is found in nine of ten cases, and a little less is not.
    #[test]
    fn the_detectable_share_by_its_definition() {
        let of = |compared| ComparedRows {
            rows: compared,
            compared,
            matching: 0,
            by_chance: 0.632,
            p_value: 1.0,
            cautious: 0.635,
        };
        let share = of(1000).detectable().unwrap();
        assert!((0.15..0.30).contains(&share), "{share}");
        let power = |share: f64| {
            let critical =
                (0..=1000).find(|&k| at_least(k, 1000, 0.635) <= SeenRows::LEVEL).unwrap();
            at_least(critical, 1000, share + (1.0 - share) * 0.632)
        };
        assert!(power(share) >= 0.9 && power(share - 1e-5) < 0.9);
        assert!(of(30).detectable().unwrap() > 0.9);
        assert!(of(20).detectable().is_none());
    }
}
