//! Patterns of dates in ARFF files, which are those of Java.

use ternwood::dataset::notation::DatePattern;

/// The same pattern with the codes of `strptime`. `None` if it has letters without such a code
/// (days of the week, time zones, ...), or not a whole date.
pub(super) fn date_pattern(java: &str) -> Option<DatePattern> {
    let mut pattern = String::new();
    let mut rest = java;
    while let Some(letter) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches(letter).len();
        if letter == '\'' {
            let (literal, after) = rest[1..].split_once('\'')?;
            pattern += literal;
            rest = after;
            continue;
        }
        let code = match (letter, run) {
            ('y', 4) => "%Y",
            ('y', 2) => "%y",
            ('M', 1 | 2) => "%m",
            ('M', 3..) => "%b",
            ('d', _) => "%d",
            ('H', _) => "%H",
            ('h', _) => "%I",
            ('a', _) => "%p",
            ('m', _) => "%M",
            ('s', _) => "%S",
            ('S', _) => "%f",
            _ if letter.is_ascii_alphabetic() => return None,
            _ => &rest[..run],
        };
        pattern += code;
        rest = &rest[run..];
    }
    DatePattern::new(&pattern).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_java() {
        let translated = |java| date_pattern(java).map(|pattern| pattern.as_str().to_owned());
        for (java, expected) in [
            ("yyyy-MM-dd'T'HH:mm:ss", Some("%Y-%m-%d")),
            ("yyyy-MM-dd HH:mm:ss", Some("%Y-%m-%d")),
            ("dd.MM.yyyy", Some("%d.%m.%Y")),
            ("yyyyMMdd", Some("%Y%m%d")),
            ("dd MMM yyyy", Some("%d %b %Y")),
            ("EEE", None),
            ("yyyy-MM-dd'T", None),
            ("HH:mm", None),
        ] {
            assert_eq!(translated(java).as_deref(), expected, "{java}");
        }
    }
}
