//! Dates and durations as text, in ISO 8601.

use crate::dataset::notation::DAY;

/// Days in 400 years.
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

/// The year, month and day that many days after 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_1970;
    let (era, day_of_era) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

/// Dates beyond these have no four-digit year; they are shown as numbers.
const SHOWN_DAYS: std::ops::Range<f64> = -719_528.0..2_932_897.0;

/// A number of days since 1970-01-01 as a date; with the time of day if it is a fraction.
/// `2020-12-31`, `2020-12-31 12:00`.
#[must_use]
pub fn date_text(days: f64) -> String {
    if !SHOWN_DAYS.contains(&days) {
        return format!("day {days}");
    }
    let (year, month, day) = date(days.floor() as i64);
    let text = format!("{year:04}-{month:02}-{day:02}");
    match (days - days.floor()) * DAY {
        0.0 => text,
        seconds => format!("{text} {}", clock(seconds)),
    }
}

/// A number of seconds since 1970-01-01 00:00:00 as date and time: `2020-12-31 14:30`,
/// `2020-12-31 14:30:05.25`.
#[must_use]
pub fn time_text(seconds: f64) -> String {
    let days = (seconds / DAY).floor();
    if !SHOWN_DAYS.contains(&days) {
        return format!("second {seconds}");
    }
    format!("{} {}", date_text(days), clock(seconds - days * DAY))
}

/// A number of days: `1 day`, `2.5 days`.
pub(super) fn days_text(days: &str) -> String {
    if days == "1" { "1 day".to_owned() } else { format!("{days} days") }
}

/// A number of seconds in the largest unit of which it is a multiple: `36 h`, `90 min`, `0.5 s`.
pub(super) fn seconds_text(seconds: f64) -> String {
    let is_multiple = |unit: f64| seconds >= unit && seconds % unit == 0.0;
    if is_multiple(DAY) {
        days_text(&(seconds / DAY).to_string())
    } else if is_multiple(3600.0) {
        format!("{} h", seconds / 3600.0)
    } else if is_multiple(60.0) {
        format!("{} min", seconds / 60.0)
    } else {
        format!("{seconds} s")
    }
}

/// A time of day: `14:30`, `14:30:05`, `14:30:05.25`.
fn clock(seconds: f64) -> String {
    let whole = seconds.floor();
    let (hours, minutes) = ((whole / 3600.0).floor(), (whole / 60.0).floor() % 60.0);
    let fraction = seconds - whole;
    let text = format!("{hours:02}:{minutes:02}");
    if whole % 60.0 == 0.0 && fraction == 0.0 {
        return text;
    }
    let digits = format!("{fraction:.6}");
    let digits = digits.trim_start_matches('0').trim_end_matches('0').trim_end_matches('.');
    format!("{text}:{:02}{}", whole % 60.0, if digits.starts_with('.') { digits } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert_eq!(date_text(11_016.0), "2000-02-29");
        assert_eq!(date_text(11_016.5), "2000-02-29 12:00");
        assert_eq!(time_text(-1.0), "1969-12-31 23:59:59");
        assert_eq!(time_text(86_400.25), "1970-01-02 00:00:00.25");
        assert_eq!(time_text(52_200.0), "1970-01-01 14:30");
        assert_eq!(date_text(1e300), format!("day {}", 1e300));
        assert_eq!(date_text(2_932_896.0), "9999-12-31");
        let durations = [86_400.0, 129_600.0, 5400.0, 0.5, 259_200.0].map(seconds_text);
        assert_eq!(durations, ["1 day", "36 h", "90 min", "0.5 s", "3 days"]);
    }
}
