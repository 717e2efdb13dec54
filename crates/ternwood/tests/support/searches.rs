//! What trees are compared over when several searches must agree.

use std::sync::LazyLock;
use ternwood::{Exec, ZoneKind};

/// Every estimator that runs while growing.
pub fn every_kind(n_features: usize) -> Vec<ZoneKind> {
    let mut kinds = ZoneKind::published().to_vec();
    kinds.push(ZoneKind::Spread);
    kinds.push(ZoneKind::QualityPlateau { tolerance: 0.3, connected: true });
    kinds.push(ZoneKind::Specified { half_widths: vec![0.5; n_features] });
    kinds
}

/// One thread and two; pools are made once.
pub static EXECS: LazyLock<[Exec; 2]> =
    LazyLock::new(|| [Exec::default(), Exec::with_threads(2).unwrap()]);
