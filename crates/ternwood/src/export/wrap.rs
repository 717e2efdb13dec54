//! Text in lines of limited width.

/// Breaks a text into lines of at most `width` columns; those after the first are `hang` columns
/// shorter, to leave room for an indent.
///
/// Lines break between words, but a number stays with its signs and with the word after it, as in
/// "26 % ± 4 %" and "12 rows". A word that is longer than a line is broken too.
///
/// ```
/// use ternwood::export::wrapped;
///
/// assert_eq!(wrapped("glucose lies within 6.35 ± 0.15", 24, 2), ["glucose lies within", "6.35 ± 0.15"]);
/// ```
#[must_use]
pub fn wrapped(text: &str, width: usize, hang: usize) -> Vec<String> {
    let mut lines = Lines { done: Vec::new(), line: String::new(), used: 0, room: [width, hang] };
    for (index, part) in parts(text).into_iter().enumerate() {
        if index > 0 {
            if lines.has_room(1 + columns(part)) { lines.push(' ') } else { lines.end_line() }
        }
        part.chars().for_each(|character| lines.push(character));
    }
    lines.end_line();
    lines.done
}

/// Lines being filled.
struct Lines {
    done: Vec<String>,
    line: String,
    /// The columns of `line` in use.
    used: usize,
    /// The width of the first line, and how much shorter the others are.
    room: [usize; 2],
}

impl Lines {
    fn has_room(&self, columns: usize) -> bool {
        let [width, hang] = self.room;
        let room = if self.done.is_empty() { width } else { width.saturating_sub(hang) };
        self.used + columns <= room
    }

    fn push(&mut self, character: char) {
        let columns = columns_of(character);
        // However narrow, a line has at least one character.
        if !self.has_room(columns) && self.used > 0 {
            self.end_line();
        }
        self.line.push(character);
        self.used += columns;
    }

    fn end_line(&mut self) {
        self.done.push(std::mem::take(&mut self.line));
        self.used = 0;
    }
}

/// The parts of a text between which a line may end, without the spaces there.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (space, _) in text.match_indices(' ') {
        let (before, after) = (&text[start..space], &text[space + 1..]);
        let last = before.rsplit(' ').next().unwrap_or_default().trim_start_matches('(');
        let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number && last != "±" && !after.starts_with(['±', '%']) {
            parts.push(&text[start..space]);
            start = space + 1;
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The columns that a text takes on a terminal.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Two for most East Asian characters and pictures, none for marks that belong to the character
/// before them.
fn columns_of(character: char) -> usize {
    match character {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff01}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 7, 0), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 7, 3), ["one two", "thre", "e"]);
        assert_eq!(wrapped("ä ö ü", 3, 0), ["ä ö", "ü"]);
        assert_eq!(wrapped("a  b", 80, 0), ["a  b"], "spaces stay");
        assert_eq!(wrapped("", 80, 0), [""]);
    }

    #[test]
    fn numbers_stay_with_what_belongs_to_them() {
        assert_eq!(wrapped("about 26 % of it", 9, 0), ["about", "26 % of", "it"]);
        assert_eq!(wrapped("in 6.35 ± 0.15", 11, 0), ["in", "6.35 ± 0.15"]);
        assert_eq!(wrapped("one (12 rows, 5 within)", 9, 0), ["one", "(12 rows,", "5 within)"]);
    }

    #[test]
    fn overlong_words_are_broken() {
        assert_eq!(wrapped("a overlong b", 4, 0), ["a", "over", "long", "b"]);
        assert_eq!(wrapped("日本語", 4, 1), ["日本", "語"], "two columns each");
        assert_eq!(wrapped("日本", 0, 9), ["日", "本"], "too narrow for anything");
        assert_eq!(wrapped("e\u{301}e\u{301}e", 2, 0), ["e\u{301}e\u{301}", "e"]);
    }
}
