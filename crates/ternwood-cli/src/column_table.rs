//! The columns of a table, one line each, for terminals of 80 columns.

use crate::report::Grid;
use crate::style::{WIDTH, clipped, one_line};
use ternwood::dataset::notation::{DatePattern, DecimalMark, Marks, Notation};
use ternwood_table::{DecidedBy, Profile};
use unicode_width::UnicodeWidthStr;

/// What `fit` does with a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Feature,
    Target,
    Weights,
    LeftOut,
}

impl Role {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Feature => "feature",
            Self::Target => "target",
            Self::Weights => "weights",
            Self::LeftOut => "left out",
        }
    }
}

/// All there is to say about columns.
pub(crate) fn full<'a>(columns: impl Iterator<Item = (&'a Profile, Role)>) -> String {
    let lines = columns.map(|(profile, role)| {
        let by = decided_by(profile.decided_by);
        let most = profile.commonest_share().map_or_else(String::new, share);
        let words = [kind(profile), by.to_owned(), role.word().to_owned()];
        let numbers = [missing(profile), distinct(profile), most];
        (profile, words.into_iter().chain(numbers).collect())
    });
    let heads = ["column", "kind", "by", "fit", "missing", "distinct", "most", "values"];
    Layout { heads: &heads, words: &[1, 2, 3, 7], values_width: 9 }.text(lines)
}

/// Who says what a column is.
pub(crate) fn decided_by(decided_by: DecidedBy) -> &'static str {
    match decided_by {
        DecidedBy::Values => "data",
        DecidedBy::File => "file",
        DecidedBy::User => "you",
    }
}

/// The most important about columns.
pub(crate) fn short<'a>(columns: impl Iterator<Item = &'a Profile>) -> String {
    let lines =
        columns.map(|profile| (profile, vec![kind(profile), missing(profile), distinct(profile)]));
    let heads = ["column", "kind", "missing", "distinct", "values"];
    Layout { heads: &heads, words: &[1, 4], values_width: 24 }.text(lines)
}

/// A table whose first column has the names, and the last one values where there is room.
struct Layout<'a> {
    heads: &'a [&'a str],
    /// The columns of words.
    words: &'a [usize],
    /// The room that values should have at least. Names are clipped to make it.
    values_width: usize,
}

impl Layout<'_> {
    /// The table of these columns, each with the cells between its name and its values.
    fn text<'a>(&self, lines: impl Iterator<Item = (&'a Profile, Vec<String>)>) -> String {
        let lines: Vec<(&Profile, Vec<String>)> = lines.collect();
        let heads = self.heads;
        let width = |cells: &mut dyn Iterator<Item = &str>, head: &str| {
            cells.map(UnicodeWidthStr::width).chain([head.width()]).max().unwrap_or(0) + 2
        };
        let between = (1..heads.len() - 1).map(|column| {
            width(&mut lines.iter().map(|(_, cells)| &*cells[column - 1]), heads[column])
        });
        let room = WIDTH.saturating_sub(between.sum());
        let longest_name = room.saturating_sub(self.values_width + 2);
        let name = |profile: &Profile| clipped(&one_line(&profile.name), longest_name);
        let names: Vec<String> = lines.iter().map(|(profile, _)| name(profile)).collect();
        let taken = width(&mut names.iter().map(|name| &**name), heads[0]);
        let mut grid = Grid::new(heads).words(self.words);
        for (name, (profile, cells)) in names.into_iter().zip(lines) {
            let last = values(profile, room.saturating_sub(taken));
            grid.row(std::iter::once(name).chain(cells).chain([last]).collect());
        }
        grid.text()
    }
}

/// The kind, and how the values are written unless that is the usual way.
fn kind(profile: &Profile) -> String {
    let marked = |marks: &Marks| match marks.thousands {
        None => format!(" 1{}5", decimal(*marks)),
        Some(thousands) => format!(" 1{thousands}234{}5", decimal(*marks)),
    };
    let written = match &profile.notation {
        Notation::Number(marks) | Notation::Percent(marks) if *marks != Marks::default() => {
            marked(marks)
        }
        Notation::Date(pattern) | Notation::Time(pattern) if *pattern != DatePattern::iso() => {
            format!(" {}", pattern.as_str())
        }
        _ => String::new(),
    };
    format!("{}{written}", profile.kind)
}

fn decimal(marks: Marks) -> char {
    match marks.decimal {
        DecimalMark::Point => '.',
        DecimalMark::Comma => ',',
    }
}

fn missing(profile: &Profile) -> String {
    if profile.missing == 0 { "-".to_owned() } else { share(profile.missing_share()) }
}

fn distinct(profile: &Profile) -> String {
    format!("{}{}", profile.distinct, if profile.is_exact { "" } else { "+" })
}

/// "12 %".
pub(crate) fn share(share: f64) -> String {
    match 100.0 * share {
        percent if percent > 0.0 && percent < 1.0 => "<1 %".to_owned(),
        percent if percent > 99.0 && percent < 100.0 => ">99 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// As many whole values as there is room for.
fn values(profile: &Profile, room: usize) -> String {
    const MORE: &str = ", …";
    let is_all = |shown: usize| profile.is_exact && shown == profile.distinct;
    let mut examples = profile.examples.iter().map(|value| one_line(value));
    let Some(first) = examples.next() else { return String::new() };
    let mut text = clipped(&first, if is_all(1) { room } else { room.saturating_sub(1) });
    let mut shown = 1;
    for value in examples {
        let after = if is_all(shown + 1) { 0 } else { MORE.width() };
        if text.width() + 2 + value.width() + after > room {
            break;
        }
        text += &format!(", {value}");
        shown += 1;
    }
    match is_all(shown) {
        true => text,
        false if text.width() + MORE.width() > room => text + "…",
        false => text + MORE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ternwood_table::Column;

    fn stripped(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn profiles() -> Vec<Profile> {
        let long = "systolic blood pressure in the morning";
        let comma = Marks { decimal: DecimalMark::Comma, thousands: None };
        [
            Column::text(long, ["low", "high", "low", "low"].map(Some)),
            Column::numeric("价格", vec![1.5, 2.5, f64::NAN, 4.5])
                .written_as(Notation::Number(comma)),
        ]
        .iter()
        .map(Profile::of)
        .collect()
    }

    #[test]
    fn every_column_on_one_aligned_line() {
        let profiles = profiles();
        let roles = [Role::Target, Role::Feature];
        let text = stripped(&full(profiles.iter().zip(roles)));
        assert_eq!(
            text,
            "column             kind        by    fit      missing  distinct  most  values\n\
             systolic… morning  categories  data  target         -         2  75 %  low, high\n\
             价格               number 1,5  data  feature     25 %         3  33 %  1.5, …\n"
        );
        assert!(text.lines().all(|line| line.width() <= WIDTH), "{text}");
        assert!(stripped(&short(profiles.iter())).contains("number 1,5     25 %         3  1.5"));
    }

    #[test]
    fn values_are_shown_whole_or_not_at_all() {
        let texts = ["never", "formerly", "never", "daily", "rarely"].map(Some);
        let profile = Profile::of(&Column::text("smoker", texts));
        assert_eq!(values(&profile, 35), "never, formerly, daily, rarely");
        assert_eq!(values(&profile, 26), "never, formerly, daily, …");
        assert_eq!(values(&profile, 10), "never, …");
        assert_eq!(values(&profile, 6), "never…");
        assert_eq!(values(&profile, 5), "ne…r…");
        assert_eq!(values(&profile, 0), "…", "no room, and no panic");
    }

    #[test]
    fn small_shares_are_not_rounded_away() {
        assert_eq!(
            [0.004, 0.0, 0.996, 1.0, 0.5].map(share),
            ["<1 %", "0 %", ">99 %", "100 %", "50 %"]
        );
    }
}
