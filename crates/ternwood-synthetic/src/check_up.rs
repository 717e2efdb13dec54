//! Invented medical check-ups.

use crate::random::{Instrument, Random};
use ternwood::Dataset;

/// The name of the class column of [`check_up`].
pub const CHECK_UP_TARGET: &str = "diagnosis";

/// One kind of patient: its frequency, its class, and the mean and deviation of its readings.
struct Group {
    share: f64,
    class: u32,
    age: [f64; 2],
    body_mass: [f64; 2],
    glucose: [f64; 2],
    pressure: [f64; 2],
}

/// Most patients are healthy, a few of them overweight. Some of the ill have their glucose under
/// control, so it is nearly normal. The pulse is uninformative.
const GROUPS: [Group; 4] = [
    Group {
        share: 0.52,
        class: 0,
        age: [43.0, 13.0],
        body_mass: [24.5, 3.0],
        glucose: [5.2, 0.6],
        pressure: [121.0, 12.0],
    },
    Group {
        share: 0.13,
        class: 0,
        age: [49.0, 12.0],
        body_mass: [31.0, 3.2],
        glucose: [5.7, 0.6],
        pressure: [128.0, 12.0],
    },
    Group {
        share: 0.25,
        class: 1,
        age: [56.0, 11.0],
        body_mass: [29.5, 4.0],
        glucose: [7.9, 1.1],
        pressure: [136.0, 14.0],
    },
    Group {
        share: 0.10,
        class: 1,
        age: [61.0, 9.0],
        body_mass: [31.5, 3.5],
        glucose: [6.1, 0.6],
        pressure: [139.0, 14.0],
    },
];

const AGE: Instrument = Instrument { steps_per_unit: 1.0, min: 18.0, max: 95.0 };
const BODY_MASS: Instrument = Instrument { steps_per_unit: 10.0, min: 15.0, max: 55.0 };
const GLUCOSE: Instrument = Instrument { steps_per_unit: 10.0, min: 3.0, max: 20.0 };
const PRESSURE: Instrument = Instrument { steps_per_unit: 1.0, min: 80.0, max: 220.0 };
const PULSE: Instrument = Instrument { steps_per_unit: 1.0, min: 40.0, max: 140.0 };

/// Invented patients, `healthy` (about 65 of 100) or `ill`, with age, body-mass index, fasting
/// glucose (mmol/l), systolic blood pressure and pulse, rounded as instruments show them.
///
/// A mixture of four normal groups, made to look medical. There are no real people in it.
#[must_use]
pub fn check_up(rows: usize, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let rows: Vec<([f64; 5], u32)> = (0..rows)
        .map(|_| {
            let group = group_at(random.unit());
            let readings = [
                random.reading(group.age, AGE),
                random.reading(group.body_mass, BODY_MASS),
                random.reading(group.glucose, GLUCOSE),
                random.reading(group.pressure, PRESSURE),
                random.reading([72.0, 10.0], PULSE),
            ];
            (readings, group.class)
        })
        .collect();
    let features = ["age", "body_mass", "glucose", "pressure", "pulse"];
    crate::dataset(&rows, features, &["healthy", "ill"])
}

fn group_at(unit: f64) -> &'static Group {
    let mut left = unit;
    for group in &GROUPS {
        if left < group.share {
            return group;
        }
        left -= group.share;
    }
    &GROUPS[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_readings_are_plausible() {
        let data = check_up(4000, 5);
        let ill = data.labels().iter().filter(|&&class| class == 1).count();
        assert!((1300..1500).contains(&ill), "{ill} of 4000 are ill");
        for &glucose in data.columns().column(2) {
            assert!((3.0..=20.0).contains(&glucose));
            assert_eq!((glucose * 10.0).round() / 10.0, glucose, "one decimal");
        }
    }

    #[test]
    fn the_seed_determines_the_data() {
        assert_eq!(check_up(50, 1), check_up(50, 1));
        assert_ne!(check_up(50, 1), check_up(50, 2));
    }
}
