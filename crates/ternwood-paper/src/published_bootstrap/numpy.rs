//! The random numbers of `numpy.random.default_rng(seed)`.
//!
//! numpy guarantees them for all versions: PCG64 (XSL-RR) with its state from `SeedSequence(seed)`,
//! and integers below a bound by Lemire's method on 32-bit halves.

pub(super) struct NumpyRandom {
    state: u128,
    increment: u128,
    /// The upper half of the last 64 bits, if only the lower half was used.
    half: Option<u32>,
}

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

impl NumpyRandom {
    /// `default_rng(seed)`.
    pub(super) fn new(seed: u32) -> Self {
        let [a, b, c, d] = seed_sequence(seed);
        let join = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        let mut random = Self { state: 0, increment: join(c, d) << 1 | 1, half: None };
        random.step();
        random.state = random.state.wrapping_add(join(a, b));
        random.step();
        random
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    fn next_u64(&mut self) -> u64 {
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    fn next_u32(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        let both = self.next_u64();
        self.half = Some((both >> 32) as u32);
        both as u32
    }

    /// A random integer below `bound`, which must not be 0.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        if bound == 1 {
            return 0;
        }
        let unwanted = bound.wrapping_neg() % bound;
        loop {
            let product = u64::from(self.next_u32()) * u64::from(bound);
            if product as u32 >= unwanted {
                return (product >> 32) as u32;
            }
        }
    }
}

/// `SeedSequence(seed).generate_state(4, numpy.uint64)`.
fn seed_sequence(seed: u32) -> [u64; 4] {
    let mut hash = Hash { constant: 0x43b0_d7e5, multiplier: 0x931e_8875 };
    let mut pool = [seed, 0, 0, 0].map(|word| hash.mix_in(word));
    for from in 0..4 {
        for to in 0..4 {
            if from != to {
                let word = hash.mix_in(pool[from]);
                pool[to] = mixed(pool[to], word);
            }
        }
    }
    let mut hash = Hash { constant: 0x8b51_f9dd, multiplier: 0x58f3_8ded };
    let words: [u32; 8] = std::array::from_fn(|index| hash.mix_in(pool[index % 4]));
    std::array::from_fn(|k| u64::from(words[2 * k]) | u64::from(words[2 * k + 1]) << 32)
}

struct Hash {
    constant: u32,
    multiplier: u32,
}

impl Hash {
    fn mix_in(&mut self, word: u32) -> u32 {
        let word = word ^ self.constant;
        self.constant = self.constant.wrapping_mul(self.multiplier);
        let word = word.wrapping_mul(self.constant);
        word ^ word >> 16
    }
}

fn mixed(x: u32, y: u32) -> u32 {
    let word = 0xca01_f9dd_u32.wrapping_mul(x).wrapping_sub(0x4973_f715_u32.wrapping_mul(y));
    word ^ word >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_match_numpy() {
        // numpy.random.default_rng(42).integers(0, 100, 10)
        let mut random = NumpyRandom::new(42);
        let drawn: Vec<u32> = (0..10).map(|_| random.below(100)).collect();
        assert_eq!(drawn, [8, 77, 65, 43, 43, 85, 8, 69, 20, 9]);
        // numpy.random.default_rng(7).choice(3_000_000_000, 4): every third draw is rejected.
        let mut random = NumpyRandom::new(7);
        let drawn: Vec<u32> = (0..4).map(|_| random.below(3_000_000_000)).collect();
        assert_eq!(drawn, EXPECTED);
    }

    const EXPECTED: [u32; 4] = [2_834_714_867, 2_052_539_810, 2_691_641_402, 1_734_877_356];
}
