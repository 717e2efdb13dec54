//! A numeric column under construction.

const STAGED: usize = 16;

/// Numbers, staged in a small buffer before they are appended to the column.
///
/// A file is read row by row, and the ends of its columns tend to be at the same offset within a
/// page. With many columns, direct writes would evict each other from the cache. The stages are
/// next to each other in memory.
#[derive(Debug, Default)]
pub(crate) struct NumericBuilder {
    stage: [f64; STAGED],
    staged: usize,
    values: Vec<f64>,
}

impl NumericBuilder {
    /// Adds a row, NaN for a missing value.
    #[inline]
    pub(crate) fn push(&mut self, value: f64) {
        if self.staged == STAGED {
            self.flush();
        }
        self.stage[self.staged] = value;
        self.staged += 1;
    }

    /// Adds rows.
    #[cfg(feature = "parquet")]
    pub(crate) fn extend(&mut self, values: &[f64]) {
        self.flush();
        self.values.extend_from_slice(values);
    }

    /// Moves the rows of another builder here.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.flush();
        other.flush();
        self.values.extend_from_slice(&other.values);
        other.values.clear();
    }

    /// Reserves space for more rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.values.reserve_exact(rows);
    }

    /// Takes the rows so far and leaves the builder empty.
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
    fn take_returns_all_values_in_order() {
        let mut builder = NumericBuilder::default();
        for n in [0, 1, 15, 16, 17, 32, 100] {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            values.iter().for_each(|value| builder.push(*value));
            assert_eq!(builder.take(), values);
        }
    }
}
