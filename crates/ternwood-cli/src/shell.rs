//! Options of the command, for messages that name a remedy.

/// An option of the `ternwood` command with a value, quoted for the shell where it must be.
pub(crate) fn option(name: &str, value: &str) -> String {
    // A value that begins like an option would be taken for one.
    let between = if value.starts_with('-') { '=' } else { ' ' };
    format!("{name}{between}{}", quoted(value))
}

/// An option that takes a list of names, with this name: one with a comma stands in double quotes.
pub(crate) fn list_option(name: &str, value: &str) -> String {
    let is_plain = !value.contains([',', '"']);
    let value = if is_plain { value } else { &format!("\"{}\"", value.replace('"', "\"\"")) };
    option(name, value)
}

/// A word for the shell, quoted where it must be.
pub(crate) fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+.,:/@%=".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_reach_the_command_in_one_piece() {
        assert_eq!(option("--drop", "größe_cm"), "--drop größe_cm");
        assert_eq!(option("--drop", "patient id"), "--drop 'patient id'");
        assert_eq!(option("--drop", "it's $5"), r"--drop 'it'\''s $5'");
        assert_eq!(option("--drop", "-x"), "--drop=-x");
        assert_eq!(option("--date", "day=%d.%m.%Y"), "--date day=%d.%m.%Y");
        assert_eq!(option("--drop", ""), "--drop ''");
        assert_eq!(list_option("--drop", "pulse"), "--drop pulse");
        assert_eq!(list_option("--drop", "pulse, resting"), "--drop '\"pulse, resting\"'");
    }
}
