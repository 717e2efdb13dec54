//! A numeric column that grows.

const STAGED: usize = 16;

/// Numbers, collected a few at a time before they join the column.
///
/// A file of many columns is read row by row, and the ends of its columns lie in as many
/// places of memory, all of them at the same offset within a page: written to directly they
/// would push each other out of the cache. The small stages lie side by side.
#[derive(Debug, Default)]
pub(crate) struct NumericBuilder {
    stage: [f64; STAGED],
    staged: usize,
    values: Vec<f64>,
}

impl NumericBuilder {
    /// Adds a row; NaN stands for a missing value.
    #[inline]
    pub(crate) fn push(&mut self, value: f64) {
        if self.staged == STAGED {
            self.flush();
        }
        self.stage[self.staged] = value;
        self.staged += 1;
    }

    /// Adds many rows.
    #[cfg(feature = "parquet")]
    pub(crate) fn extend(&mut self, values: &[f64]) {
        self.flush();
        self.values.extend_from_slice(values);
    }

    /// Makes room for more rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.values.reserve_exact(rows);
    }

    /// Gives the rows so far, and starts again with none.
    pub(crate) fn take(&mut self) -> Vec<f64> {
        self.flush();
        let mut values = std::mem::take(&mut self.values);
        values.shrink_to_fit();
        values
    }

    #[inline(never)]
    fn flush(&mut self) {
        self.values.extend_from_slice(&self.stage[..self.staged]);
        self.staged = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_out_as_they_went_in() {
        let mut builder = NumericBuilder::default();
        for n in [0, 1, 15, 16, 17, 32, 100] {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            values.iter().for_each(|value| builder.push(*value));
            assert_eq!(builder.take(), values);
        }
    }
}
