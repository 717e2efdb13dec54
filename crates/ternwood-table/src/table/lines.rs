//! Which line of its file every row comes from.

/// The line of every row of a text file, as runs of consecutive lines.
///
/// Almost every row stands one line below the row before; only the exceptions (comments,
/// blank lines, quoted line breaks) are stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowLines {
    /// `(first row, its line)` of every run, ascending in both.
    runs: Vec<(usize, u64)>,
}

impl RowLines {
    /// Notes the line of the next row. `row` counts up from 0.
    #[inline]
    pub(crate) fn push(&mut self, row: usize, line: u64) {
        if self.of(row) != Some(line) {
            self.runs.push((row, line));
        }
    }

    /// The line of a row; `None` for tables that do not come from a text file.
    pub(crate) fn of(&self, row: usize) -> Option<u64> {
        // Rows are mostly asked for in ascending order while a table is built.
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
    fn lines_with_gaps_are_found_again() {
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
