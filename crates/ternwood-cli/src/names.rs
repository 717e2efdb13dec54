//! Lists of column names on the command line.

/// Names between commas. One that has a comma itself stands in double quotes: `age,"a, b"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names(pub(crate) Vec<String>);

/// Parses a list of names.
pub(crate) fn names(text: &str) -> Result<Names, String> {
    let mut names = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let name = names.last_mut().expect("there is at least one");
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => name.extend(letters.next()),
            '"' if is_quoted || name.is_empty() => is_quoted = !is_quoted,
            ',' if !is_quoted => names.push(String::new()),
            letter => name.push(letter),
        }
    }
    if is_quoted {
        return Err("a double quote is not closed".to_owned());
    }
    Ok(Names(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_names_unless_they_are_quoted() {
        let list = |text: &str| names(text).unwrap().0;
        assert_eq!(list("age"), ["age"]);
        assert_eq!(list("age,patient id"), ["age", "patient id"]);
        assert_eq!(list(r#""a, b",c"#), ["a, b", "c"]);
        assert_eq!(list(r#""say ""aah""",x"#), [r#"say "aah""#, "x"]);
        assert_eq!(list(r#"5" pipe"#), [r#"5" pipe"#], "a quote within a name is one");
        assert!(names("\"a").is_err());
    }
}
