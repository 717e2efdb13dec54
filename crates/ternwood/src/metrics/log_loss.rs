//! Log-loss.

use crate::dataset::{ExactSum, check_length};
use crate::error::{ErrorKind, Result, parameter};

/// The default clip: a row that is certain but wrong costs `-ln 1e-6 = 13.8`.
pub const DEFAULT_CLIP: f64 = 1e-6;

/// How far probabilities may lie outside [0, 1]: blending and dividing may leave them a few ulp
/// off.
const ROUNDING: f64 = 1e-9;

/// No loss is larger: `-ln 5e-324` is 744.4. A power of two, so that dividing by it is exact.
const LARGEST: f64 = 1024.0;

/// Log-loss: the mean over rows of `-ln p` (natural logarithm), with `p` the probability of
/// the true class, but at least `clip`, as leaves may give exact zeros. `None` without rows.
///
/// `probabilities` holds `n_classes` numbers per row, row by row. They are clipped only from
/// below and not renormalised, so a row that is certain and right costs 0. The result has the same
/// bits for any order of rows.
///
/// # Errors
/// A wrong number of probabilities, one that is not in [0, 1], a class id of `n_classes` or
/// more, or a clip that is not strictly between 0 and 1.
pub fn log_loss(
    truth: &[u32],
    probabilities: &[f64],
    n_classes: usize,
    clip: f64,
) -> Result<Option<f64>> {
    if !(clip > 0.0 && clip < 1.0) {
        return Err(parameter("clip", clip, "a number between 0 and 1, both excluded"));
    }
    check_length(
        "the list of probabilities",
        probabilities.len(),
        truth.len().saturating_mul(n_classes),
        "one per row and class",
    )?;
    let mut sum = ExactSum::default();
    for (row, &id) in truth.iter().enumerate() {
        if id as usize >= n_classes {
            return Err(ErrorKind::ClassId { row, id, classes: n_classes }.into());
        }
        let distribution = &probabilities[row * n_classes..][..n_classes];
        check_probabilities(distribution, row)?;
        sum.add(-distribution[id as usize].clamp(clip, 1.0).ln() / LARGEST, 1);
    }
    Ok((!truth.is_empty()).then(|| sum.value() * LARGEST / truth.len() as f64))
}

fn check_probabilities(distribution: &[f64], row: usize) -> Result<()> {
    let allowed = -ROUNDING..=1.0 + ROUNDING;
    match distribution.iter().position(|value| !allowed.contains(value)) {
        None => Ok(()),
        Some(class) => {
            let (what, value) = (format!("probability of class id {class}"), distribution[class]);
            Err(ErrorKind::Score { what, row, value, allowed: "a number from 0 to 1" }.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // p of the true classes: 1/2, 1/4, so -(ln 1/2 + ln 1/4) / 2 = 1.5 ln 2.
        let probabilities = [0.5, 0.5, 0.75, 0.25];
        let loss = log_loss(&[0, 1], &probabilities, 2, DEFAULT_CLIP).unwrap().unwrap();
        assert!((loss - 1.5 * 2f64.ln()).abs() < 1e-15, "{loss}");
    }

    #[test]
    fn sure_and_right_is_free_and_sure_and_wrong_is_finite() {
        assert_eq!(log_loss(&[0], &[1.0, 0.0], 2, DEFAULT_CLIP).unwrap(), Some(0.0));
        let wrong = log_loss(&[1], &[1.0, 0.0], 2, DEFAULT_CLIP).unwrap();
        assert_eq!(wrong, Some(-DEFAULT_CLIP.ln()));
        // A last-bit excess over 1 is rounding, and does not make the loss negative.
        assert_eq!(log_loss(&[0], &[1.0 + 1e-15], 1, DEFAULT_CLIP).unwrap(), Some(0.0));
        assert_eq!(log_loss(&[], &[], 3, DEFAULT_CLIP).unwrap(), None);
    }

    #[test]
    fn bad_input_is_an_error() {
        let error = log_loss(&[0, 1], &[0.5, 0.5, 1.5, -0.5], 2, DEFAULT_CLIP).unwrap_err();
        let message = "probability of class id 0 of row 1 is 1.5; allowed: a number from 0 to 1";
        assert_eq!(error.to_string(), message);
        assert!(log_loss(&[0], &[f64::NAN], 1, DEFAULT_CLIP).is_err());
        let error = log_loss(&[2], &[0.5, 0.5], 2, DEFAULT_CLIP).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::ClassId { row: 0, id: 2, .. }), "{error}");
        assert!(log_loss(&[0], &[0.5], 2, DEFAULT_CLIP).is_err());
        assert!(log_loss(&[0, 0], &[], usize::MAX, DEFAULT_CLIP).is_err());
        for clip in [0.0, 1.0, -1e-6, f64::NAN] {
            let error = log_loss(&[0], &[1.0], 1, clip).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Parameter { name: "clip", .. }), "{error}");
        }
    }
}
