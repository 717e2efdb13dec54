//! Names from files, made safe to print.

use std::borrow::Cow;

/// A name on one line: line breaks and other control characters are escaped, like `\n`.
///
/// ```
/// assert_eq!(ternwood::dataset::one_line("two\nlines"), "two\\nlines");
/// ```
#[must_use]
pub fn one_line(name: &str) -> Cow<'_, str> {
    if !name.contains(breaks) {
        return Cow::Borrowed(name);
    }
    let escaped = name.chars().fold(String::new(), |mut text, c| {
        if breaks(c) {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
        text
    });
    Cow::Owned(escaped)
}

/// Control characters, and Unicode's line and paragraph separators.
fn breaks(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_breaks_lines_is_spelled_out() {
        assert_eq!(one_line("Größe, \"cm\""), "Größe, \"cm\"");
        assert_eq!(one_line("a\r\nb\u{1b}[1m\u{2028}"), "a\\r\\nb\\u{1b}[1m\\u{2028}");
    }
}
