//! The spellings of missing values.

use super::parse::is_number;

/// The spellings of missing values.
#[derive(Debug)]
pub(super) struct MissingSpellings {
    spellings: Vec<Vec<u8>>,
    longest: usize,
    has_numbers: bool,
}

impl MissingSpellings {
    pub(super) fn new(spellings: &[String]) -> Self {
        let spellings: Vec<Vec<u8>> =
            spellings.iter().map(|text| text.clone().into_bytes()).collect();
        let longest = spellings.iter().map(Vec::len).max().unwrap_or(0);
        let has_numbers = spellings.iter().any(|text| is_number(text));
        Self { spellings, longest, has_numbers }
    }

    /// Whether a trimmed field is missing.
    #[inline]
    pub(super) fn contains(&self, field: &[u8]) -> bool {
        field.len() <= self.longest && self.spellings.iter().any(|spelling| spelling == field)
    }

    /// Whether a number stands for a missing value, like -999.
    #[inline]
    pub(super) fn has_numbers(&self) -> bool {
        self.has_numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::MISSING_SPELLINGS;

    #[test]
    fn spellings() {
        let usual = MissingSpellings::new(&MISSING_SPELLINGS.map(str::to_owned));
        for text in ["", "?", "NA", "nan", "null", "#N/A"] {
            assert!(usual.contains(text.as_bytes()), "{text:?}");
        }
        assert!(!usual.contains(b"none at all") && !usual.has_numbers());
        let own = MissingSpellings::new(&["-999".to_owned()]);
        assert!(own.contains(b"-999") && own.has_numbers() && !own.contains(b""));
    }
}
