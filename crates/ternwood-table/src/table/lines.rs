//! The line of every row.

/// The line of every row of a text file, as runs of consecutive lines.
///
/// Almost every row is one line below the previous one. Only the exceptions (comments, blank lines,
/// quoted line breaks) are stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowLines {
    /// `(first row, its line)` of every run, both ascending.
    runs: Vec<(usize, u64)>,
}

impl RowLines {
    /// Records the line of the next row. `row` counts up from 0.
    #[inline]
    pub(crate) fn push(&mut self, row: usize, line: u64) {
        if self.of(row) != Some(line) {
            self.runs.push((row, line));
        }
    }

    /// Moves the lines of another builder here: that of its first row is `row` here, and its lines
    /// are counted from `line`.
    pub(crate) fn append(&mut self, other: &mut Self, row: usize, line: u64) {
        for (first, at) in other.runs.drain(..) {
            self.push(row + first, line + at);
        }
    }

    /// The line of a row. `None` for tables that are not from a text file.
    pub(crate) fn of(&self, row: usize) -> Option<u64> {
        // A shortcut for building a table, where the row is in the last run.
        let after = match self.runs.last() {
            Some(&(first, _)) if first <= row => self.runs.len(),
            _ => self.runs.partition_point(|&(first, _)| first <= row),
        };
        let &(first, line) = self.runs.get(after.checked_sub(1)?)?;
        Some(line + (row - first) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_gaps() {
        let lines = [3, 4, 5, 9, 10, 12, 20];
        let mut stored = RowLines::default();
        for (row, &line) in lines.iter().enumerate() {
            stored.push(row, line);
        }
        assert_eq!(stored.runs.len(), 4);
        for (row, &line) in lines.iter().enumerate() {
            assert_eq!(stored.of(row), Some(line));
        }
        assert_eq!(RowLines::default().of(0), None);
    }
}
