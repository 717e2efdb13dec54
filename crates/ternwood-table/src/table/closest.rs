//! "Did you mean ...?"

/// The name most similar to `wanted`, if one is similar enough to be worth suggesting: equal
/// but for case and separators, or at most a third of its letters away.
pub(super) fn closest<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let letters = simplified(wanted);
    let allowed = (letters.len() / 3).max(1);
    names
        .into_iter()
        .map(|name| (edit_distance(&letters, &simplified(name)), name))
        .filter(|&(distance, _)| distance <= allowed && distance < letters.len().max(1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Lower-case letters and digits; names are clipped, so that no input makes this slow.
fn simplified(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).take(64).collect()
}

/// Levenshtein's distance: insertions, deletions and replacements.
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
    fn slips_are_recognised_and_strangers_are_not() {
        let names = ["species", "petal_length", "petal_width"];
        assert_eq!(closest("Species", names), Some("species"));
        assert_eq!(closest("specis", names), Some("species"));
        assert_eq!(closest("petal.width", names), Some("petal_width"));
        assert_eq!(closest("class", names), None);
        assert_eq!(closest("", names), None);
        assert_eq!(closest("x", ["y"]), None);
    }
}
