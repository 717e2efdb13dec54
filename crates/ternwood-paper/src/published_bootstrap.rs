//! Node bootstrap with the published random numbers.
//!
//! The engine ties random streams to a node's position in the tree. The published program drew from
//! one numpy generator, seeded anew for every tree, in growth order: a node, then its left, right
//! and middle subtrees. The experiments draw the same numbers, so that results can be compared
//! digit by digit; the estimator is the same.

use crate::error::Result;
use crate::method::{DEPTH, SEED, params};
use ternwood::grow::Grower;
use ternwood::recipe::ZoneParams;
use ternwood::tree::{Node, NodeId, Side, Test, TreeBuilder, Zone};
use ternwood::{Dataset, Exec, Tree, ZoneKind};

/// The minimum number of rows in a zone. Fewer become a leaf.
const MIN_MIDDLE_ROWS: usize = 5;

/// A CART tree with published node-bootstrap zones.
pub(crate) fn two_child(cart: &Tree, train: &Dataset, resamples: u32) -> Result<Tree> {
    let mut bootstrap = Bootstrap::new(train, resamples);
    let mut builder = TreeBuilder::new(cart.n_features(), cart.n_classes());
    let all: Vec<usize> = (0..train.n_rows()).collect();
    // Preorder: a node, then its left and right subtrees.
    let mut waiting = vec![(NodeId::ROOT, all)];
    while let Some((id, rows)) = waiting.pop() {
        let Node::Split(split) = cart.node(id) else {
            builder.leaf(cart.class_weights(id));
            continue;
        };
        builder.split(split.test.feature().0, bootstrap.zone(&split.test, &rows)?);
        let column = train.columns().column(split.test.feature().index());
        let (left, right) = rows.into_iter().partition(|&row| split.test.goes_left(column[row]));
        waiting.push((split.right, right));
        waiting.push((split.left, left));
    }
    Ok(builder.finish()?)
}

/// A tree with middle children and published node-bootstrap zones.
pub(crate) fn three_child(train: &Dataset, resamples: u32) -> Result<Tree> {
    let mut bootstrap = Bootstrap::new(train, resamples);
    let all: Vec<usize> = (0..train.n_rows()).collect();
    let root = bootstrap.grow(&all, DEPTH)?;
    let mut builder = TreeBuilder::three_child(train.n_features(), train.n_classes());
    root.write(&mut builder);
    Ok(builder.finish()?)
}

struct Bootstrap<'a> {
    train: &'a Dataset,
    resamples: u32,
    random: NumpyRandom,
}

/// A tree whose growth order differs from the order in which it is written.
enum Grown {
    Leaf(Vec<f64>),
    Split { feature: u32, zone: Zone, children: Box<[Grown; 3]> },
}

impl<'a> Bootstrap<'a> {
    fn new(train: &'a Dataset, resamples: u32) -> Self {
        Self { train, resamples, random: NumpyRandom::new(SEED as u32) }
    }

    /// The zone of a test on these rows.
    fn zone(&mut self, test: &Test, rows: &[usize]) -> Result<Zone> {
        let zone = test.zone().expect("the paper codes every column as numbers");
        let column = self.train.columns().column(test.feature().index());
        let rows = NodeRows {
            values: rows.iter().map(|&row| column[row]).collect(),
            classes: rows.iter().map(|&row| self.train.labels()[row]).collect(),
            n_classes: self.train.n_classes(),
        };
        let width = rows.half_width(self.resamples, &mut self.random);
        let low = rows.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = rows.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let most = ZoneParams::default().max_fraction * (high - low);
        Ok(Zone::new(zone.threshold(), width.min(most))?)
    }

    /// The subtree of these rows, with at most this depth (no more than 4, so recursion is safe).
    fn grow(&mut self, rows: &[usize], depth: u32) -> Result<Grown> {
        let leaf = |rows: &[usize]| {
            let mut counts = vec![0.0; self.train.n_classes()];
            rows.iter().for_each(|&row| counts[self.train.labels()[row] as usize] += 1.0);
            Grown::Leaf(counts)
        };
        let Some(crisp) = self.best_test(rows, depth)? else { return Ok(leaf(rows)) };
        let (feature, zone) = (crisp.feature(), self.zone(&crisp, rows)?);
        let test = Test::new(feature.0, zone);
        let column = self.train.columns().column(feature.index());
        let side = |wanted: Side| -> Vec<usize> {
            rows.iter().copied().filter(|&row| test.side(column[row]) == wanted).collect()
        };
        let [below, within, above] = [Side::Below, Side::Within, Side::Above].map(side);
        if below.is_empty() || above.is_empty() {
            return Ok(leaf(rows));
        }
        let middle_leaf = match within.len() {
            0 => Some(leaf(rows)),
            1..MIN_MIDDLE_ROWS => Some(leaf(&within)),
            _ => None,
        };
        let left = self.grow(&below, depth - 1)?;
        let right = self.grow(&above, depth - 1)?;
        let middle = match middle_leaf {
            Some(leaf) => leaf,
            None => self.grow(&within, depth - 1)?,
        };
        let children = Box::new([left, middle, right]);
        Ok(Grown::Split { feature: feature.0, zone, children })
    }

    /// The engine's best test for these rows alone, if there is one.
    fn best_test(&self, rows: &[usize], depth: u32) -> Result<Option<Test>> {
        if depth == 0 {
            return Ok(None);
        }
        let part = self.train.select(rows)?;
        let mut stump = params(ZoneKind::None)?.into_params();
        stump.max_depth = Some(1);
        let stump = stump.check()?;
        let tree = Grower::new(&part, &stump)?.grow_two_child(&Exec::default())?.tree();
        Ok(tree.node(NodeId::ROOT).as_split().map(|split| split.test.clone()))
    }
}

impl Grown {
    fn write(&self, builder: &mut TreeBuilder) {
        match self {
            Self::Leaf(counts) => builder.leaf(counts),
            Self::Split { feature, zone, children } => {
                builder.split(*feature, *zone);
                children.iter().for_each(|child| child.write(builder));
            }
        }
    }
}

// The deviation of the best threshold over resamples, in numpy's order of operations.

const MIN_ROWS: usize = 10;

/// The values of the tested feature and the classes of a node's rows, in training order.
struct NodeRows {
    values: Vec<f64>,
    classes: Vec<u32>,
    n_classes: usize,
}

impl NodeRows {
    /// The population standard deviation of the best threshold over resamples of the rows.
    fn half_width(&self, resamples: u32, random: &mut NumpyRandom) -> f64 {
        if self.values.len() < MIN_ROWS {
            return 0.0;
        }
        let mut scan = Scan::new(self);
        let thresholds: Vec<f64> =
            (0..resamples).filter_map(|_| scan.best_threshold(random)).collect();
        if thresholds.len() < 2 { 0.0 } else { deviation(&thresholds) }
    }
}

/// A node's rows by value, and a buffer for the counts of a resample.
struct Scan {
    /// The distinct values.
    values: Vec<f64>,
    /// For each row, in training order: the index of its value, and its class.
    rows: Vec<(u32, u32)>,
    n_classes: usize,
    /// The number of draws per value and class.
    drawn: Vec<u32>,
}

impl Scan {
    fn new(NodeRows { values, classes, n_classes }: &NodeRows) -> Self {
        let mut distinct = values.clone();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let rows = values.iter().zip(classes).map(|(value, &class)| {
            let place = distinct.partition_point(|other| other < value);
            (place as u32, class)
        });
        let rows: Vec<(u32, u32)> = rows.collect();
        let drawn = vec![0; distinct.len() * n_classes];
        Self { values: distinct, rows, n_classes: *n_classes, drawn }
    }

    /// Draws a resample and returns its best threshold, or `None` if it has a single value. The
    /// lowest of equally good thresholds wins, even if the gain is 0.
    fn best_threshold(&mut self, random: &mut NumpyRandom) -> Option<f64> {
        self.drawn.fill(0);
        let n = self.rows.len();
        for _ in 0..n {
            let (value, class) = self.rows[random.below(n as u32) as usize];
            self.drawn[value as usize * self.n_classes + class as usize] += 1;
        }
        let mut total = vec![0.0; self.n_classes];
        for counts in self.drawn.chunks_exact(self.n_classes) {
            add(&mut total, counts);
        }
        let n = n as f64;
        let total_impurity = impurity(&total, n);
        let mut left = vec![0.0; self.n_classes];
        let mut right = vec![0.0; self.n_classes];
        let (mut best, mut last): (Option<(f64, f64)>, Option<f64>) = (None, None);
        for (&value, counts) in self.values.iter().zip(self.drawn.chunks_exact(self.n_classes)) {
            if counts.iter().all(|&count| count == 0) {
                continue;
            }
            if let Some(last) = last {
                right.iter_mut().zip(&total).zip(&left).for_each(|((r, t), l)| *r = t - l);
                let n_left: f64 = left.iter().sum();
                let n_right = n - n_left;
                let gain = total_impurity
                    - (n_left / n * impurity(&left, n_left)
                        + n_right / n * impurity(&right, n_right));
                if best.is_none_or(|(most, _)| gain > most) {
                    best = Some((gain, (last + value) / 2.0));
                }
            }
            add(&mut left, counts);
            last = Some(value);
        }
        best.map(|(_, threshold)| threshold)
    }
}

fn add(sums: &mut [f64], counts: &[u32]) {
    sums.iter_mut().zip(counts).for_each(|(sum, &count)| *sum += f64::from(count));
}

/// `1 - sum of p * p`.
fn impurity(counts: &[f64], n: f64) -> f64 {
    1.0 - numpy_sum(counts.iter().map(|count| count / n * (count / n)))
}

/// `numpy.std`.
fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = numpy_sum(values.iter().copied()) / n;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    (numpy_sum(squares) / n).sqrt()
}

/// `numpy.sum` of fewer than 128 numbers: from 8 numbers on, eight interleaved partial sums.
fn numpy_sum(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    if values.len() < 8 {
        return values.sum();
    }
    let mut values: Vec<f64> = values.collect();
    let rest = values.split_off(values.len() / 8 * 8);
    let mut lanes = [0.0; 8];
    lanes.copy_from_slice(&values[..8]);
    for block in values[8..].chunks_exact(8) {
        lanes.iter_mut().zip(block).for_each(|(lane, value)| *lane += value);
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    let sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
    rest.into_iter().fold(sum, |sum, value| sum + value)
}

// The random numbers of `numpy.random.default_rng(seed)`.
//
// numpy guarantees them for all versions: PCG64 (XSL-RR) with its state from `SeedSequence(seed)`,
// and integers below a bound by Lemire's method on 32-bit halves.

struct NumpyRandom {
    state: u128,
    increment: u128,
    /// The upper half of the last 64 bits, if only the lower half was used.
    half: Option<u32>,
}

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

impl NumpyRandom {
    /// `default_rng(seed)`.
    fn new(seed: u32) -> Self {
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
    fn below(&mut self, bound: u32) -> u32 {
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
