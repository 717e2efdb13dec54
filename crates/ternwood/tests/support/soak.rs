//! Seconds in `make test`, minutes in `make soak`.

use proptest::prelude::ProptestConfig;

/// The number of cases, times `TERNWOOD_SOAK` if that is set.
pub fn cases(usual: u32) -> ProptestConfig {
    let times = std::env::var("TERNWOOD_SOAK").ok().and_then(|times| times.parse().ok());
    ProptestConfig::with_cases(usual.saturating_mul(times.unwrap_or(1)))
}
