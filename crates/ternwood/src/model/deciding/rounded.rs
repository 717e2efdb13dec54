//! Numbers with few digits, a little further out.

use crate::dataset::notation::Notation;

/// By how much a number may be rounded outwards: a part of the way from the row's value, or of its size.
const OF_WAY: f64 = 0.1;
const OF_SIZE: f64 = 0.001;

/// Larger numbers are written with all of their digits.
const LARGEST: f64 = 1e15;

/// The most decimals of a rounded number.
const MOST_DECIMALS: usize = 15;

/// The number with the fewest digits that lies a little further from `start` than `nearest` and still decides; else
/// `nearest` itself.
pub(in crate::model) fn rounded(
    notation: &Notation,
    [start, nearest]: [f64; 2],
    mut decides: impl FnMut(f64) -> bool,
) -> f64 {
    let most = (OF_WAY * (nearest - start).abs()).max(OF_SIZE * nearest.abs());
    if nearest.abs() >= LARGEST {
        return nearest;
    }
    let whole = |unit: f64| {
        let count = nearest / unit;
        unit * if nearest > start { count.ceil() } else { count.floor() }
    };
    if let Some(&finest) = units(notation).last() {
        let near = |value: &f64| (value - nearest).abs() <= most;
        let candidates = units(notation).iter().map(|&unit| whole(unit)).filter(near);
        let mut candidates = candidates.chain([whole(finest)]);
        return candidates.find(|&value| decides(value)).unwrap_or(nearest);
    }
    (0..=MOST_DECIMALS)
        .map(|decimals| outwards([start, nearest], decimals))
        .find(|&value| (value - nearest).abs() <= most && decides(value))
        .unwrap_or(nearest)
}

/// The steps of dates, in days or seconds, from the coarsest to the finest.
fn units(notation: &Notation) -> &'static [f64] {
    match notation {
        Notation::Number(_) | Notation::Percent(_) => &[],
        Notation::Date(_) => &[1.0],
        Notation::Time(_) => &[86_400.0, 3_600.0, 60.0, 1.0],
    }
}

/// `nearest` with so many decimals, not nearer to `start`.
fn outwards([start, nearest]: [f64; 2], decimals: usize) -> f64 {
    let with_decimals = |x: f64| format!("{x:.decimals$}").parse().unwrap_or(x);
    let value: f64 = with_decimals(nearest);
    let step: f64 = format!("1e-{decimals}").parse().unwrap_or(0.0);
    match () {
        () if nearest > start && value < nearest => with_decimals(value + step),
        () if nearest < start && value > nearest => with_decimals(value - step),
        () => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_to_the_next_number_outwards() {
        // "126.5" is written as "126" without decimals, and "127.5" as "128".
        assert_eq!(outwards([100.0, 126.5], 0), 127.0);
        assert_eq!(outwards([200.0, 127.5], 0), 127.0);
        assert_eq!(outwards([0.0, 0.25], 1), 0.3);
        assert_eq!(outwards([1.0, 0.75], 1), 0.7);
        assert_eq!(outwards([0.0, 126.4], 0), 127.0);
        assert_eq!(outwards([200.0, 126.6], 0), 126.0);
    }
}
