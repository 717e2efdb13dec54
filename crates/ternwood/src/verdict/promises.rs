//! Promises class by class.

use super::rule::check_share;
use crate::dataset::check_length;
use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};

/// What is promised of single classes, all together with one confidence.
///
/// | promise | of class | says |
/// |---|---|---|
/// | `precision` | predicted | of the rows decided as the class, at least this share is of it |
/// | `miss_rate` | true | of the rows of the class, at most this share is decided as another |
///
/// In medicine, the precision of "ill" is the positive predictive value, that of "healthy" the
/// negative one; the miss rate of "ill" is the share of the ill who are ruled out. What no promise
/// touches is decided freely.
///
/// The two lists have an entry for every class, by class id, or none at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promises {
    /// The least precision of rows decided as each class, between 0 and 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub precision: Vec<Option<f64>>,
    /// The largest miss rate of each class, between 0 and 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub miss_rate: Vec<Option<f64>>,
    /// All promises are kept with at least this probability, between 0 and 1.
    pub confidence: f64,
}

impl Promises {
    /// The least precision of rows decided as a class, if one is promised.
    #[must_use]
    pub fn precision_of(&self, class: usize) -> Option<f64> {
        self.precision.get(class).copied().flatten()
    }

    /// The largest miss rate of a class, if one is promised.
    #[must_use]
    pub fn miss_rate_of(&self, class: usize) -> Option<f64> {
        self.miss_rate.get(class).copied().flatten()
    }

    /// The number of promises.
    #[must_use]
    pub fn count(&self) -> usize {
        self.precision.iter().chain(&self.miss_rate).flatten().count()
    }

    /// How often each single promise may be broken: the share that all together may, divided among
    /// them.
    #[must_use]
    pub fn level(&self) -> f64 {
        (1.0 - self.confidence) / self.count() as f64
    }

    /// True if rows decided as `class` may be misses of another class with a promised miss rate.
    #[must_use]
    pub fn may_miss(&self, class: usize) -> bool {
        let required = self.miss_rate.iter().enumerate().filter(|(_, rate)| rate.is_some());
        required.into_iter().any(|(other, _)| other != class)
    }

    /// Checks that the numbers are in range, and that there are any.
    ///
    /// # Errors
    /// The first number that is not between 0 and 1; or nothing promised.
    pub fn check(&self) -> Result<()> {
        check_share("confidence", self.confidence)?;
        self.precision.iter().flatten().try_for_each(|&share| check_share("precision", share))?;
        self.miss_rate.iter().flatten().try_for_each(|&share| check_share("miss_rate", share))?;
        if self.count() == 0 {
            let allowed = "at least one precision or miss rate";
            return Err(parameter("number of promises", 0, allowed));
        }
        Ok(())
    }

    pub(super) fn check_classes(&self, n_classes: usize) -> Result<()> {
        for (what, list) in [("precisions", &self.precision), ("miss rates", &self.miss_rate)] {
            if !list.is_empty() {
                let what = format!("the list of promised {what}");
                check_length(&what, list.len(), n_classes, "one per class")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_promised_together_shares_the_risk() {
        let promises = Promises {
            precision: vec![None, Some(0.9), None],
            miss_rate: vec![None, Some(0.01), Some(0.02)],
            confidence: 0.7,
        };
        promises.check().unwrap();
        promises.check_classes(3).unwrap();
        assert_eq!(promises.count(), 3);
        assert!((promises.level() - 0.1).abs() < 1e-15);
        // Whatever is decided as 0 may be a missed 1 or 2; as 1, a missed 2.
        assert_eq!([0, 1, 2].map(|class| promises.may_miss(class)), [true, true, true]);
        let one = Promises { miss_rate: vec![None, Some(0.01), None], ..promises.clone() };
        assert_eq!([0, 1, 2].map(|class| one.may_miss(class)), [true, false, true]);
        assert_eq!(
            promises.to_string(),
            "at least 90 % of the rows decided as class 1 are, at most 1 % of class 1 is decided \
             as another, at most 2 % of class 2 is decided as another, promised with 70 % confidence"
        );
    }

    #[test]
    fn impossible_promises_are_refused() {
        let good = Promises { precision: vec![Some(0.9)], miss_rate: vec![], confidence: 0.9 };
        good.check().unwrap();
        let refused = |promises: Promises| promises.check().unwrap_err().to_string();
        let with = |share| Promises { precision: vec![None, Some(share)], ..good.clone() };
        for share in [0.0, 1.0, 1.2, -0.5, f64::NAN] {
            let error = refused(with(share));
            let expected = format!("precision is {share}; allowed: a number between 0 and 1");
            assert!(error.ends_with(&expected), "{error}");
        }
        let error = refused(Promises { miss_rate: vec![Some(1.5)], ..good.clone() });
        assert!(error.contains("miss_rate is 1.5"), "{error}");
        let error = refused(Promises { precision: vec![None], ..good.clone() });
        assert!(error.contains("allowed: at least one precision or miss rate"), "{error}");
        let error = good.check_classes(2).unwrap_err().to_string();
        assert!(error.contains("the list of promised precisions has length 1"), "{error}");
    }
}
