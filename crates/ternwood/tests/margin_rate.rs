//! Proposition 4: margin's half-width shrinks as 1/n where the classes overlap.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use support::numbers::Numbers;
use support::sample::Sample;
use ternwood::tree::NodeId;
use ternwood::{Routing, TreeParams};

/// The margin of the best split between two normal classes, centred at -1 and 1.
fn half_width(n_rows: usize, seed: u64) -> f64 {
    let mut numbers = Numbers::new(seed);
    let classes: Vec<u32> = (0..n_rows).map(|row| (row % 2) as u32).collect();
    let rows = classes.iter().map(|&class| vec![f64::from(2 * class) - 1.0 + numbers.normal()]);
    let sample = Sample { rows: rows.collect(), classes, n_classes: 2, ..Sample::default() };
    let params = TreeParams { max_depth: Some(1), ..TreeParams::default() };
    let model = sample.fit(&params, Routing::Probabilistic);
    model.trees()[0].node(NodeId::ROOT).as_split().unwrap().test.zone().unwrap().half_width()
}

/// The distance to the nearest of about n rows of positive density around the threshold is
/// roughly exponential with mean c/n. So the mean over S seeds has a relative standard error of
/// about 1/sqrt(S), which is the absolute standard error of its logarithm: 0.16 for S = 40. The
/// slope through four points at x = ln 10 * (2, 3, 4, 5) then has the standard error
/// 0.16 / sqrt(sum (x - mean)^2) = 0.16 / (2.30 * sqrt(5)) = 0.031. The tolerance is four of
/// these: 0.12. Rates of 1/sqrt(n) or of 1/n^2 are far outside.
#[test]
fn the_half_width_shrinks_as_one_over_n() {
    let seeds = 40;
    let points: Vec<(f64, f64)> = [100, 1_000, 10_000, 100_000]
        .into_iter()
        .map(|n| {
            let sum: f64 = (0..seeds).map(|seed| half_width(n, 1000 * seed + n as u64)).sum();
            ((n as f64).ln(), (sum / seeds as f64).ln())
        })
        .collect();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / 4.0;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let variance: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let slope = covariance / variance;
    assert!((slope + 1.0).abs() < 0.12, "the slope is {slope}, at {points:?}");
}
