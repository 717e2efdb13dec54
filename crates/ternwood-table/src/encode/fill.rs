//! The value that replaces missing ones.

use super::learn::MissingPolicy;
use crate::table::Values;

/// The fill value of a column. `None` if the column has no value or the policy does not fill.
pub(super) fn of(values: &Values, policy: MissingPolicy) -> Option<f64> {
    let pick = match policy {
        MissingPolicy::Error => return None,
        MissingPolicy::Median => median,
        MissingPolicy::Mode => mode,
    };
    let mut present: Vec<f64> = match values {
        Values::Numeric(values) => values.iter().copied().filter(|v| v.is_finite()).collect(),
        Values::Nominal(nominal) => {
            nominal.codes().iter().flatten().map(|code| code.index() as f64).collect()
        }
    };
    pick(&mut present)
}

/// The middle value, or the mean of the two middle ones.
fn median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let odd = values.len() % 2 == 1;
    let (lower, &mut upper, _) = values.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    if odd {
        return Some(upper);
    }
    Some(f64::midpoint(lower.iter().copied().max_by(f64::total_cmp)?, upper))
}

/// The most frequent value. Ties go to the smallest.
fn mode(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let mut best = (0, None);
    for run in values.chunk_by(|a, b| a == b) {
        if run.len() > best.0 {
            best = (run.len(), run.first().copied());
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Nominal;

    fn numeric(values: &[f64]) -> Values {
        Values::Numeric(values.to_vec())
    }

    #[test]
    fn median_and_mode_ignore_missing_values() {
        let values = numeric(&[9.0, f64::NAN, 1.0, 9.0, 2.0]);
        assert_eq!(of(&values, MissingPolicy::Median), Some(5.5));
        assert_eq!(of(&values, MissingPolicy::Mode), Some(9.0));
        assert_eq!(of(&values, MissingPolicy::Error), None);
        assert_eq!(of(&numeric(&[3.0, 1.0, 2.0]), MissingPolicy::Median), Some(2.0));
        assert_eq!(of(&numeric(&[3.0, 1.0, 2.0]), MissingPolicy::Mode), Some(1.0));
        assert_eq!(of(&numeric(&[f64::NAN]), MissingPolicy::Median), None);
        assert_eq!(of(&numeric(&[f64::MAX, f64::MAX]), MissingPolicy::Median), Some(f64::MAX));
    }

    #[test]
    fn the_median_of_categories_is_the_median_of_their_codes() {
        let texts = [Some("a"), Some("b"), None, Some("c"), Some("b"), Some("c"), Some("c")];
        let values = Values::Nominal(Nominal::from_texts(texts));
        assert_eq!(of(&values, MissingPolicy::Median), Some(1.5));
        assert_eq!(of(&values, MissingPolicy::Mode), Some(2.0));
    }
}
