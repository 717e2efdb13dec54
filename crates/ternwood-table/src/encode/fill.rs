//! The value that replaces missing ones.

use super::learn::MissingPolicy;
use crate::table::CategoryCode;

/// The number that fills gaps. `None` if there is no number or the policy does not fill.
pub(super) fn of_numbers(values: impl Iterator<Item = f64>, policy: MissingPolicy) -> Option<f64> {
    let pick = match policy {
        MissingPolicy::Keep | MissingPolicy::Error => return None,
        MissingPolicy::Median => median,
        MissingPolicy::Mode => mode,
    };
    pick(&mut values.filter(|value| value.is_finite()).collect::<Vec<_>>())
}

/// The category that fills gaps: the commonest, since categories have no middle.
pub(super) fn of_categories(
    codes: impl Iterator<Item = Option<CategoryCode>>,
    policy: MissingPolicy,
) -> Option<CategoryCode> {
    match policy {
        MissingPolicy::Keep | MissingPolicy::Error => None,
        MissingPolicy::Median | MissingPolicy::Mode => {
            mode(&mut codes.flatten().collect::<Vec<_>>())
        }
    }
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
fn mode<T: Copy + PartialOrd>(values: &mut [T]) -> Option<T> {
    values.sort_unstable_by(|a, b| a.partial_cmp(b).expect("NaN was left out"));
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

    #[test]
    fn median_and_mode_ignore_missing_values() {
        let of = |values: &[f64], policy| of_numbers(values.iter().copied(), policy);
        let values = [9.0, f64::NAN, 1.0, 9.0, 2.0];
        assert_eq!(of(&values, MissingPolicy::Median), Some(5.5));
        assert_eq!(of(&values, MissingPolicy::Mode), Some(9.0));
        assert_eq!(of(&values, MissingPolicy::Error), None);
        assert_eq!(of(&values, MissingPolicy::Keep), None);
        assert_eq!(of(&[3.0, 1.0, 2.0], MissingPolicy::Median), Some(2.0));
        assert_eq!(of(&[3.0, 1.0, 2.0], MissingPolicy::Mode), Some(1.0));
        assert_eq!(of(&[f64::NAN], MissingPolicy::Median), None);
        assert_eq!(of(&[f64::MAX, f64::MAX], MissingPolicy::Median), Some(f64::MAX));
    }

    #[test]
    fn categories_are_filled_with_the_commonest_by_either_policy() {
        let texts = [Some("a"), Some("b"), None, Some("c"), Some("b"), Some("c"), Some("c")];
        let values = Nominal::from_texts(texts);
        let of = |policy| of_categories(values.codes().iter().copied(), policy);
        assert_eq!(of(MissingPolicy::Median), CategoryCode::new(2));
        assert_eq!(of(MissingPolicy::Mode), CategoryCode::new(2));
        assert_eq!(of(MissingPolicy::Keep), None);
    }
}
