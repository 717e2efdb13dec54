//! Dates of ARFF files, as seconds since 1970-01-01 00:00:00 UTC.

/// A piece of a date pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Literal(u8),
}

/// A Java date pattern. Only numeric fields are supported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DatePattern(Vec<Piece>);

impl Default for DatePattern {
    /// ISO 8601, the default of ARFF.
    fn default() -> Self {
        let time = [Piece::Hour, Piece::Minute, Piece::Second];
        let [hour, minute, second] = time;
        let (dash, colon) = (Piece::Literal(b'-'), Piece::Literal(b':'));
        let date = [Piece::Year, dash, Piece::Month, dash, Piece::Day, Piece::Literal(b'T')];
        Self([&date[..], &[hour, colon, minute, colon, second]].concat())
    }
}

impl DatePattern {
    /// `None` if the pattern has unsupported letters (names of months, time zones, ...).
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let mut pieces = Vec::new();
        let mut quoted = false;
        let mut previous = 0;
        for &byte in pattern.as_bytes() {
            let piece = match byte {
                b'\'' => {
                    quoted = !quoted;
                    previous = byte;
                    continue;
                }
                _ if quoted || !byte.is_ascii_alphabetic() => Piece::Literal(byte),
                b'y' => Piece::Year,
                b'M' => Piece::Month,
                b'd' => Piece::Day,
                b'H' => Piece::Hour,
                b'm' => Piece::Minute,
                b's' => Piece::Second,
                b'S' => Piece::Millisecond,
                _ => return None,
            };
            // A run of one letter is one number.
            if matches!(piece, Piece::Literal(_)) || byte != previous {
                pieces.push(piece);
            }
            previous = byte;
        }
        // "MMM" is the name of a month; "yy" lacks the century.
        let named = pattern.contains("MMM");
        let short_year = pattern.contains("yy") && !pattern.contains("yyyy");
        (!named && !short_year && !quoted && pieces.contains(&Piece::Year)).then_some(Self(pieces))
    }

    /// Parses a date. `None` if it does not match the pattern.
    pub(super) fn seconds(&self, text: &[u8]) -> Option<f64> {
        let (mut year, mut month, mut day, mut time) = (1970, 1, 1, 0.0);
        let mut rest = text;
        for (i, piece) in self.0.iter().enumerate() {
            if let Piece::Literal(byte) = piece {
                rest = rest.strip_prefix(&[*byte])?;
                continue;
            }
            // Numbers without a separator have fixed widths: yyyyMMdd.
            let adjacent = !matches!(self.0.get(i + 1), None | Some(Piece::Literal(_)));
            let width = match piece {
                Piece::Year if adjacent => 4,
                Piece::Millisecond => 3,
                _ if adjacent => 2,
                _ => 6,
            };
            let digits = rest.iter().take(width).take_while(|byte| byte.is_ascii_digit()).count();
            let number: i64 = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
            rest = &rest[digits..];
            match piece {
                Piece::Year => year = number,
                Piece::Month => month = number,
                Piece::Day => day = number,
                Piece::Hour => time += number as f64 * 3600.0,
                Piece::Minute => time += number as f64 * 60.0,
                Piece::Second => time += number as f64,
                Piece::Millisecond => time += number as f64 / 1000.0,
                Piece::Literal(_) => {}
            }
        }
        let fits = rest.is_empty() && (1..=12).contains(&month) && (1..=31).contains(&day);
        fits.then(|| days_since_1970(year, month, day) as f64 * 86400.0 + time)
    }
}

/// Days in the proleptic Gregorian calendar, with years that start in March.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants() {
        let iso = DatePattern::default();
        assert_eq!(iso.seconds(b"1970-01-01T00:00:00"), Some(0.0));
        assert_eq!(iso.seconds(b"2001-04-03T12:12:12"), Some(986_299_932.0));
        assert_eq!(iso.seconds(b"2000-02-29T00:00:00"), Some(951_782_400.0));
        assert_eq!(iso.seconds(b"1969-12-31T23:59:59"), Some(-1.0));
        let day = DatePattern::new("yyyy-MM-dd HH:mm:ss").unwrap();
        assert_eq!(day.seconds(b"1970-01-02 00:00:01"), Some(86401.0));
        let adjacent = DatePattern::new("yyyyMMdd").unwrap();
        assert_eq!(adjacent.seconds(b"19700103"), Some(172_800.0));
        assert_eq!(DatePattern::new("yyyy-MM-dd'T'HH:mm:ss"), Some(iso));
    }

    #[test]
    fn mismatches_and_unsupported_patterns() {
        let iso = DatePattern::default();
        for text in [&b"1970-01-01"[..], b"1970-13-01T00:00:00", b"x", b"", b"1970-01-01T00:00:00Z"]
        {
            assert_eq!(iso.seconds(text), None, "{text:?}");
        }
        assert_eq!(DatePattern::new("dd MMM yyyy"), None);
        assert_eq!(DatePattern::new("yy-MM-dd"), None);
        assert_eq!(DatePattern::new("EEE"), None);
    }
}
