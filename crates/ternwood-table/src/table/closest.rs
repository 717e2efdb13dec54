//! Suggestions for misspelled column names.

/// The names closest to `wanted`: equal except for case and separators, with at most a third of the
/// letters different, or longer or shorter by less than a half at the end ("churn", "churned").
/// Empty if too many names are equally close.
pub(super) fn closest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    const SUGGESTED: usize = 3;
    let letters = simplified(wanted);
    let spelling = spelled(wanted);
    let allowed = (letters.len() / 3).max(1);
    let mut best = (usize::MAX, usize::MAX);
    let mut closest = Vec::new();
    for name in names {
        let other = simplified(name);
        let distance = edit_distance(&letters, &other);
        let is_close =
            distance <= allowed || is_most_of(&letters, &other) || is_most_of(&other, &letters);
        if !is_close || distance >= letters.len().max(1) {
            continue;
        }
        // Break ties by case and separators.
        let distance = (distance, edit_distance(&spelling, &spelled(name)));
        if distance < best {
            best = distance;
            closest.clear();
        }
        if distance == best {
            closest.push(name);
        }
    }
    if closest.len() > SUGGESTED { Vec::new() } else { closest }
}

/// True if a name begins with `part`, and is less than twice as long.
fn is_most_of(part: &[char], name: &[char]) -> bool {
    name.starts_with(part) && 2 * part.len() > name.len()
}

/// The characters of a name, clipped so that no input is slow.
fn spelled(name: &str) -> Vec<char> {
    name.chars().take(64).collect()
}

/// The letters and digits of a name, in lower case.
fn simplified(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).take(64).collect()
}

/// The Levenshtein distance: insertions, deletions and substitutions.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut current = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = previous[j] + usize::from(x != y);
            current.push(replaced.min(previous[j + 1] + 1).min(current[j] + 1));
        }
        previous = current;
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_recognised_and_unrelated_names_are_not() {
        let names = ["species", "petal_length", "petal_width"];
        assert_eq!(closest("Species", names), ["species"]);
        assert_eq!(closest("specis", names), ["species"]);
        assert_eq!(closest("petal.width", names), ["petal_width"]);
        assert_eq!(closest("churn", ["churned", "plan"]), ["churned"], "the end is missing");
        assert_eq!(closest("outcomes_2020", ["id", "outcomes"]), ["outcomes"]);
        let none: [&str; 0] = [];
        assert_eq!(closest("class", names), none);
        assert_eq!(closest("", names), none);
        assert_eq!(closest("x", ["y"]), none);
    }

    #[test]
    fn equally_close_names_are_all_suggested_unless_there_are_many() {
        assert_eq!(closest("petal_x", ["petal_a", "petal_b"]), ["petal_a", "petal_b"]);
        assert_eq!(closest("AGE", ["age", "Age"]), ["Age"], "fewer letters differ in case");
        let many = ["col1", "col2", "col3", "col4"];
        assert!(closest("col9", many).is_empty());
    }
}
