//! Printed numbers as people read them: decimals of any length, added and compared digit by digit.

use std::cmp::Ordering;
use ternwood::tree::{Side, Zone};

/// Digits before and after the point: enough for every `f64` and for its printed neighbours.
const WHOLE: usize = 320;
const FRACTION: usize = 420;

/// A decimal number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsRead {
    negative: bool,
    /// From the largest place to the smallest.
    digits: Vec<u8>,
}

impl AsRead {
    /// Reads "-12.50", "−12.50" or "1.2e-7".
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.replace('−', "-");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (negative, mantissa) =
            mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let exponent: i32 = exponent.parse().ok()?;
        let start = WHOLE as i32 - exponent - whole.len() as i32;
        let mut digits = vec![0; WHOLE + FRACTION];
        for (place, byte) in (start..).zip(whole.bytes().chain(fraction.bytes())) {
            let digit = byte - b'0';
            match digits.get_mut(usize::try_from(place).unwrap_or(usize::MAX)) {
                Some(target) => *target = digit,
                None => assert_eq!(digit, 0, "{text} has too many digits"),
            }
        }
        let negative = negative && digits.iter().any(|&digit| digit > 0);
        Some(Self { negative, digits })
    }

    /// A value as it is written in full.
    pub fn of(value: f64) -> Self {
        Self::parse(&value.to_string()).unwrap()
    }

    fn negated(&self) -> Self {
        let is_zero = self.digits.iter().all(|&digit| digit == 0);
        Self { negative: !self.negative && !is_zero, digits: self.digits.clone() }
    }

    pub fn plus(&self, other: &Self) -> Self {
        let (larger, smaller) =
            if self.digits >= other.digits { (self, other) } else { (other, self) };
        let sign = if larger.negative == smaller.negative { 1 } else { -1 };
        let mut digits = larger.digits.clone();
        let mut carry = 0;
        for (digit, &other) in digits.iter_mut().zip(&smaller.digits).rev() {
            let sum = *digit as i8 + sign * other as i8 + carry;
            *digit = sum.rem_euclid(10) as u8;
            carry = sum.div_euclid(10);
        }
        let is_zero = digits.iter().all(|&digit| digit == 0);
        Self { negative: larger.negative && !is_zero, digits }
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }
}

impl PartialOrd for AsRead {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for AsRead {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.digits.cmp(&other.digits),
            (true, true) => other.digits.cmp(&self.digits),
        }
    }
}

/// A printed zone: its threshold, unless only the edges are named, and its edges, if it has a width.
#[derive(Debug, Clone)]
pub struct ReadZone {
    pub threshold: Option<AsRead>,
    pub edges: Option<[AsRead; 2]>,
}

impl ReadZone {
    /// Reads "127.0", "127.0 ± 1.1", with or without "(standard error)", "127.0, blended between 125.9 and 128.1",
    /// "127.0 (125.9 to 128.1)" or "the blending zone from 125.9 to 128.1".
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end_matches(" (standard error)");
        if let Some((threshold, half_width)) = text.split_once(" ± ") {
            let [threshold, half_width] = [AsRead::parse(threshold)?, AsRead::parse(half_width)?];
            let edges = [threshold.minus(&half_width), threshold.plus(&half_width)];
            return Some(Self { threshold: Some(threshold), edges: Some(edges) });
        }
        let numbers = text.split([' ', ',', '(', ')']).filter_map(AsRead::parse);
        let (threshold, edges) = match (numbers.collect::<Vec<_>>().as_slice(), text.contains(' '))
        {
            ([threshold], false) => (Some(threshold.clone()), None),
            ([lower, upper], true) => (None, Some([lower.clone(), upper.clone()])),
            ([threshold, lower, upper], true) => {
                (Some(threshold.clone()), Some([lower.clone(), upper.clone()]))
            }
            _ => return None,
        };
        Some(Self { threshold, edges })
    }

    pub fn side(&self, value: &AsRead) -> Side {
        let [lower, upper] = match (&self.edges, &self.threshold) {
            (Some([lower, upper]), _) => [lower, upper],
            (None, threshold) => [threshold.as_ref().unwrap(); 2],
        };
        if *value > *upper {
            Side::Above
        } else if *value <= *lower {
            Side::Below
        } else {
            Side::Within
        }
    }

    /// True if `read`, which stands for `value`, is where the zone has the value. Only the
    /// threshold may read like the threshold.
    pub fn tells_the_truth(&self, zone: Zone, value: f64, read: &AsRead) -> bool {
        let has_zone = (zone.half_width() > 0.0) == self.edges.is_some();
        let is_zero = self.edges.as_ref().is_some_and(|[lower, upper]| lower == upper);
        let at_threshold = self.threshold.as_ref().is_none_or(|threshold| {
            let on_left = *read <= *threshold;
            on_left == zone.goes_left(value) && (read != threshold || value == zone.threshold())
        });
        has_zone && !is_zero && at_threshold && self.side(read) == zone.side(value)
    }
}

#[test]
fn decimals_are_added_as_on_paper() {
    let read = |text: &str| AsRead::parse(text).unwrap();
    assert_eq!(read("2.65").plus(&read("0.05")), read("2.7"));
    assert_eq!(read("1e-3").minus(&read("1")), read("-0.999"));
    assert_eq!(read("-0.5").minus(&read("-0.50")), read("0"));
    assert!(read("−1.2e3") < read("-1199.9") && read("0.30000000000000004") > read("0.3"));
    assert!(AsRead::parse("12,5").is_none() && AsRead::parse("x").is_none());
    // In binary fractions 2.65 + 0.05 is less than 2.7.
    let zone = ReadZone::parse("2.65 ± 0.05").unwrap();
    assert_eq!(zone.side(&AsRead::of(2.7)), Side::Within);
    assert_eq!(zone.side(&AsRead::of(2.6)), Side::Below);
    for text in ["2.65, blended between 2.60 and 2.70", "the blending zone from 2.60 to 2.70"] {
        let zone = ReadZone::parse(text).unwrap();
        assert_eq!(zone.side(&AsRead::of(2.7)), Side::Within);
        assert_eq!(zone.side(&AsRead::of(2.6)), Side::Below);
    }
    assert!(ReadZone::parse("between 2.60").is_none() && ReadZone::parse("zone").is_none());
}
