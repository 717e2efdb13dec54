//! Random numbers, the same on every machine.

#[cfg(feature = "learn")]
use rand_xoshiro::Xoshiro256PlusPlus;
#[cfg(feature = "learn")]
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The SplitMix64 finaliser: maps close numbers to unrelated ones, and different numbers to different ones.
pub(crate) fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A random number generator.
#[cfg(feature = "learn")]
pub(crate) struct Stream(Xoshiro256PlusPlus);

#[cfg(feature = "learn")]
impl Stream {
    /// The stream of a place for one purpose. Streams of other places and for other purposes are unrelated.
    pub(crate) fn new(place: u64, seed: u64, purpose: u64) -> Self {
        Self::seeded(mix(place ^ mix(seed)).wrapping_add(mix(purpose)))
    }

    /// The stream of a seed.
    pub(super) fn seeded(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A uniform number in `[0, 1)`, a multiple of 2^-53.
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Four uniform numbers below 2^15.
    #[inline]
    pub(crate) fn four_short(&mut self) -> [u16; 4] {
        let bits = self.0.next_u64();
        [0, 16, 32, 48].map(|shift| (bits >> shift) as u16 & 0x7fff)
    }

    /// Two uniform numbers below `bound`, with a bias of at most `bound` in 2^32.
    #[inline]
    pub(crate) fn two_below(&mut self, bound: u16) -> [u16; 2] {
        let bits = self.0.next_u64();
        [bits >> 32, bits & 0xffff_ffff].map(|half| ((half * u64::from(bound)) >> 32) as u16)
    }

    /// A uniform number below `bound`, with a bias below 2^-32 for the bounds used here.
    #[inline]
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u32
    }

    /// A standard normal number (Box-Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}
