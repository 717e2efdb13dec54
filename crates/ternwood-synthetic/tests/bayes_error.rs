//! Zones scaled to the Bayes-error bound flag about as many rows as are unavoidably wrong.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ternwood::bayes_error::{BayesError, zone_scale_for_flag_rate};
use ternwood::metrics::VerdictCounts;
use ternwood::recipe::ZoneParams;
use ternwood::{Dataset, Exec, Learner, Matrix, Resampler, Routing, TreeParams, ZoneKind};
use ternwood_synthetic::{
    TWONORM_BAYES_ERROR, WAVEFORM_BAYES_ERROR, twonorm, waveform, waveform_with_noise,
};

const KINDS: [ZoneKind; 2] = [ZoneKind::Spread, ZoneKind::Margin];

/// The flag rate of each zone kind on test rows, with the scale set to the bound on the training
/// rows of the fold: means over five folds.
fn flag_rates(data: &Dataset) -> [f64; 2] {
    let exec = Exec::with_threads(2).unwrap();
    let folds = Resampler::of_classes(data.labels()).folds(5, 42).unwrap();
    let mut sums = [0.0; 2];
    for (training, test) in folds.iter() {
        let (training, test) = (data.select(&training).unwrap(), data.select(&test).unwrap());
        let bayes = BayesError::of(&training, &exec).unwrap();
        for (kind, sum) in KINDS.iter().zip(&mut sums) {
            let fit = |scale| {
                let mut params = TreeParams { max_depth: Some(4), ..TreeParams::default() };
                params.zone = ZoneParams { scale, ..ZoneParams::from(kind.clone()) };
                let learner = Learner::new(params, Routing::Probabilistic).unwrap();
                learner.fit(&training, &exec).unwrap()
            };
            let bound = bayes.lower;
            let scale = zone_scale_for_flag_rate(&fit(1.0), &training, bound, &exec).unwrap();
            let rows = Matrix::from(test.columns());
            let predictions = fit(scale.factor).predict(rows, &exec).unwrap();
            let (classes, verdicts) = (predictions.classes(), predictions.verdicts());
            let counts = VerdictCounts::new(test.labels(), classes, verdicts).unwrap();
            *sum += counts.undecided_rate().unwrap();
        }
    }
    sums.map(|sum| sum / 5.0)
}

/// U/B, flag rate over Bayes error, is within [0.7, 1.4], as claimed where the bound is tight.
#[test]
fn flags_per_unavoidable_error_are_near_1() {
    for (name, data, bayes_error) in [
        ("twonorm", twonorm(5000, 1), TWONORM_BAYES_ERROR),
        ("waveform", waveform(5000, 1), WAVEFORM_BAYES_ERROR),
        ("waveform and noise", waveform_with_noise(5000, 1), WAVEFORM_BAYES_ERROR),
    ] {
        for (kind, flag_rate) in KINDS.iter().zip(flag_rates(&data)) {
            let flags_per_error = flag_rate / bayes_error;
            println!("{name}, {} zones: U/B = {flags_per_error:.3}", kind.as_str());
            assert!((0.7..=1.4).contains(&flags_per_error), "{name}, {kind:?}: {flags_per_error}");
        }
    }
}
