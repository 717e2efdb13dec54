//! Random numbers that are the same on every machine.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::f64::consts::TAU;

/// A random number generator.
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A uniform number in `[0, 1)`.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A normal number with this mean and standard deviation (Box and Muller).
    pub(crate) fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        mean + deviation * radius * libm::cos(TAU * self.unit())
    }

    /// A normal number as an instrument would show it: rounded to its steps, clamped to its range.
    pub(crate) fn reading(&mut self, [mean, deviation]: [f64; 2], instrument: Instrument) -> f64 {
        let value = self.normal(mean, deviation).clamp(instrument.min, instrument.max);
        (value * instrument.steps_per_unit).round() / instrument.steps_per_unit
    }
}

/// The range and resolution of an instrument.
#[derive(Clone, Copy)]
pub(crate) struct Instrument {
    pub(crate) steps_per_unit: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_have_the_given_mean_and_deviation() {
        let mut random = Random::new(1);
        let numbers: Vec<f64> = (0..20_000).map(|_| random.normal(5.0, 2.0)).collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 20_000.0;
        assert!((mean - 5.0).abs() < 0.05 && (variance - 4.0).abs() < 0.15, "{mean} {variance}");
    }

    #[test]
    fn the_first_numbers_are_fixed() {
        let mut random = Random::new(42);
        let drawn = [random.unit(), random.normal(0.0, 1.0), random.normal(0.0, 1.0)];
        assert_eq!(drawn, EXPECTED);
    }

    const EXPECTED: [f64; 3] = [0.8143051451229099, 0.8717934828442817, 0.41956416195941315];
}
