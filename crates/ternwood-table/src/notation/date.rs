//! Dates as texts, read by the patterns of a schema.

use ternwood::dataset::notation::DatePattern;

/// Seconds since 1970-01-01 00:00:00 UTC; `None` if the text has another form. A text of the form
/// of ISO 8601 is read whatever the pattern.
///
/// Stricter than `strptime`, so that few patterns fit a text: `%Y` has four digits, numbers without
/// anything between them have fixed widths (`%Y%m%d`), and there is no white space to skip. A
/// second 60 is the first of the next minute.
#[must_use]
pub fn seconds(pattern: &DatePattern, text: &[u8]) -> Option<f64> {
    own_seconds(pattern, text).or_else(|| iso_seconds(text))
}

/// As [`seconds`], but only texts of this pattern.
pub(crate) fn own_seconds(pattern: &DatePattern, text: &[u8]) -> Option<f64> {
    if pattern.is_iso() {
        return iso_seconds(text);
    }
    let mut moment = Moment::default();
    let (mut rest, mut has_time, mut after_number) = (text, false, false);
    let mut pieces = pieces(pattern.as_str()).peekable();
    while let Some(piece) = pieces.next() {
        let before_number = pieces.peek().is_some_and(|next| next.is_number());
        rest = piece.read(rest, after_number || before_number, &mut moment)?;
        (after_number, has_time) = (piece.is_number(), has_time || piece.is_time());
    }
    let rest = if has_time { rest } else { moment.read_time(rest)? };
    if rest.is_empty() { moment.seconds() } else { None }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Year,
    ShortYear,
    Month,
    MonthName,
    Day,
    Hour,
    HalfDayHour,
    HalfDay,
    Minute,
    Second,
    Fraction,
    Zone,
    Literal(u8),
}

fn pieces(pattern: &str) -> impl Iterator<Item = Piece> {
    let mut bytes = pattern.bytes();
    std::iter::from_fn(move || {
        Some(match bytes.next()? {
            b'%' => piece(bytes.next()?),
            literal => Piece::Literal(literal),
        })
    })
}

/// The piece that a code of a pattern stands for.
fn piece(code: u8) -> Piece {
    match code {
        b'Y' => Piece::Year,
        b'y' => Piece::ShortYear,
        b'm' => Piece::Month,
        b'b' | b'B' => Piece::MonthName,
        b'd' => Piece::Day,
        b'H' => Piece::Hour,
        b'I' => Piece::HalfDayHour,
        b'p' => Piece::HalfDay,
        b'M' => Piece::Minute,
        b'S' => Piece::Second,
        b'f' => Piece::Fraction,
        b'z' => Piece::Zone,
        // Only `%%` is left.
        literal => Piece::Literal(literal),
    }
}

/// The parts of a date read so far.
#[derive(Default)]
struct Moment {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    fraction: f64,
    /// Seconds east of Greenwich.
    zone: i64,
    /// The second half of the day, if the clock has two.
    afternoon: Option<bool>,
}

impl Piece {
    fn is_number(self) -> bool {
        !matches!(self, Self::Literal(_) | Self::MonthName | Self::HalfDay | Self::Zone)
    }

    fn is_time(self) -> bool {
        !matches!(
            self,
            Self::Literal(_)
                | Self::Year
                | Self::ShortYear
                | Self::Month
                | Self::MonthName
                | Self::Day
        )
    }

    /// Reads the piece from the start of a text and returns the rest.
    fn read<'a>(self, text: &'a [u8], adjacent: bool, to: &mut Moment) -> Option<&'a [u8]> {
        let two = if adjacent { 2..=2 } else { 1..=2 };
        let (number, rest) = match self {
            Self::Literal(byte) => return text.strip_prefix(&[byte]),
            Self::MonthName => return month_name(text, to),
            Self::HalfDay => return half_day(text, to),
            Self::Zone => return zone(text, to),
            Self::Fraction => return fraction(text, to),
            Self::Year => digits(text, 4..=4)?,
            Self::ShortYear => digits(text, 2..=2)?,
            _ => digits(text, two)?,
        };
        match self {
            Self::Year => to.year = number,
            Self::ShortYear => to.year = if number < 69 { 2000 + number } else { 1900 + number },
            Self::Month => to.month = number,
            Self::Day => to.day = number,
            Self::Hour | Self::HalfDayHour => to.hour = number,
            Self::Minute => to.minute = number,
            _ => to.second = number,
        }
        Some(rest)
    }
}

impl Moment {
    /// Reads a time of day that may follow a date: ` 14:30`, `T14:30:05.25Z`.
    fn read_time<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let [b' ' | b'T', text @ ..] = text else { return Some(text) };
        let (hour, rest) = digits(text, 1..=2)?;
        let (minute, mut rest) = digits(rest.strip_prefix(b":")?, 2..=2)?;
        (self.hour, self.minute) = (hour, minute);
        if let Some(seconds) = rest.strip_prefix(b":") {
            (self.second, rest) = digits(seconds, 2..=2)?;
            if let Some(digits) = rest.strip_prefix(b".") {
                rest = fraction(digits, self)?;
            }
        }
        if rest.is_empty() { Some(rest) } else { zone(rest.trim_ascii_start(), self) }
    }

    fn seconds(&self) -> Option<f64> {
        let days = days(self.year, self.month, self.day)?;
        let hour = match self.afternoon {
            None => self.hour,
            Some(_) if !(1..=12).contains(&self.hour) => return None,
            Some(afternoon) => self.hour % 12 + 12 * i64::from(afternoon),
        };
        // A clock may show 23:59:60 when a second is inserted.
        if hour > 23 || self.minute > 59 || self.second > 60 {
            return None;
        }
        let seconds = days * 86_400 + hour * 3600 + self.minute * 60 + self.second - self.zone;
        Some(seconds as f64 + self.fraction)
    }
}

/// The number of as many digits as there are, within limits, and the rest.
fn digits(text: &[u8], count: std::ops::RangeInclusive<usize>) -> Option<(i64, &[u8])> {
    let found = text.iter().take(*count.end()).take_while(|byte| byte.is_ascii_digit()).count();
    let number = text[..found].iter().fold(0, |number, byte| number * 10 + i64::from(byte - b'0'));
    count.contains(&found).then(|| (number, &text[found..]))
}

fn fraction<'a>(text: &'a [u8], to: &mut Moment) -> Option<&'a [u8]> {
    let (number, rest) = digits(text, 1..=9)?;
    to.fraction = number as f64 / 10f64.powi((text.len() - rest.len()) as i32);
    Some(rest)
}

/// `Z`, `UTC`, `+01`, `+0100` or `+01:00`.
fn zone<'a>(text: &'a [u8], to: &mut Moment) -> Option<&'a [u8]> {
    if let Some(rest) = text.strip_prefix(b"Z").or_else(|| text.strip_prefix(b"UTC")) {
        return Some(rest);
    }
    let (sign, rest) = match text {
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let (hours, rest) = digits(rest, 2..=2)?;
    let after_colon = rest.strip_prefix(b":").unwrap_or(rest);
    let (minutes, rest) = digits(after_colon, 2..=2).unwrap_or((0, rest));
    to.zone = sign * (hours * 3600 + minutes * 60);
    (hours < 24 && minutes < 60).then_some(rest)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn month_name<'a>(text: &'a [u8], to: &mut Moment) -> Option<&'a [u8]> {
    let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = text[..letters].to_ascii_lowercase();
    let is_named = |name: &&str| word == name.as_bytes() || word == name.as_bytes()[..3];
    to.month = 1 + MONTHS.iter().position(is_named)? as i64;
    Some(&text[letters..])
}

fn half_day<'a>(text: &'a [u8], to: &mut Moment) -> Option<&'a [u8]> {
    let (letters, rest) = text.split_at_checked(2)?;
    to.afternoon = Some(match letters.to_ascii_uppercase().as_slice() {
        b"AM" => false,
        b"PM" => true,
        _ => return None,
    });
    Some(rest)
}

/// A date of ISO 8601, with or without a time of day.
fn iso_seconds(text: &[u8]) -> Option<f64> {
    let mut moment = Moment::default();
    let rest;
    (moment.year, rest) = digits(text, 4..=4)?;
    let (month, rest) = digits(rest.strip_prefix(b"-")?, 2..=2)?;
    let (day, rest) = digits(rest.strip_prefix(b"-")?, 2..=2)?;
    (moment.month, moment.day) = (month, day);
    let rest = moment.read_time(rest)?;
    if rest.is_empty() { moment.seconds() } else { None }
}

/// Days from 1970-01-01 to a date; `None` if there is no such date.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years start in March here, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * DAYS_PER_ERA + day_of_era - DAYS_TO_1970)
}

/// Days in 400 years.
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ternwood::words::date_text;

    fn seconds(pattern: &str, text: &str) -> Option<f64> {
        super::seconds(&DatePattern::new(pattern).unwrap(), text.as_bytes())
    }

    #[test]
    fn known_instants() {
        for (pattern, text, expected) in [
            ("%Y-%m-%d", "2000-02-29", 951_782_400.0),
            ("%Y-%m-%d", "2001-04-03T12:12:12", 986_299_932.0),
            ("%Y-%m-%d", "1970-01-01 00:00:00.25", 0.25),
            ("%Y-%m-%d", "1970-01-01T01:00:00+01:00", 0.0),
            ("%Y-%m-%d", "1970-01-01 00:00:00 UTC", 0.0),
            ("%d.%m.%Y", "1.2.1970", 31.0 * 86_400.0),
            ("%d.%m.%Y", "02.01.1970 00:01", 86_460.0),
            ("%d.%m.%Y", "1970-01-02", 86_400.0),
            ("%m/%d/%y", "01/03/70", 172_800.0),
            ("%Y%m%d", "19700103", 172_800.0),
            ("%d-%b-%Y", "03-JAN-1970", 172_800.0),
            ("%B %d, %Y", "January 3, 1970", 172_800.0),
            ("%m/%d/%Y %I:%M %p", "01/01/1970 12:30 AM", 1800.0),
            ("%Y-%m-%dT%H:%M:%S.%f%z", "1970-01-01T00:00:01.500-0100", 3601.5),
        ] {
            assert_eq!(seconds(pattern, text), Some(expected), "{pattern} {text}");
        }
    }

    #[test]
    fn mismatches() {
        for (pattern, text) in [
            ("%Y-%m-%d", "2021-02-30"),
            ("%Y-%m-%d", "21-02-03"),
            ("%Y-%m-%d", "2021-02-03 "),
            ("%Y-%m-%d", "2021-02-03 25:00"),
            ("%Y-%m-%d", "2021-02-03x"),
            ("%d.%m.%Y", "31.04.2021"),
            ("%d.%m.%Y", "3.4.21"),
            ("%d-%b-%Y", "03-JAX-1970"),
            ("%Y%m%d", "1970013"),
            ("%m/%d/%Y %I:%M %p", "01/01/1970 13:30 AM"),
            ("%Y-%m-%d", ""),
        ] {
            assert_eq!(seconds(pattern, text), None, "{pattern} {text}");
        }
    }

    #[test]
    fn known_days() {
        assert_eq!(days(1970, 1, 1), Some(0));
        assert_eq!(days(2000, 2, 29), Some(11_016));
        assert_eq!(days(1969, 12, 31), Some(-1));
        for (year, month, day) in [(1900, 2, 29), (2021, 4, 31), (2021, 13, 1), (2021, 1, 0)] {
            assert_eq!(days(year, month, day), None);
        }
    }

    proptest! {
        #[test]
        fn a_date_is_as_many_days_away_as_it_says(day in -719_000i64..2_932_000) {
            let text = date_text(day as f64);
            let found = super::seconds(&DatePattern::iso(), text.as_bytes());
            prop_assert_eq!(found, Some((day * 86_400) as f64), "{}", text);
        }
    }
}
