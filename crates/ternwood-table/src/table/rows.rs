//! Drops rows of a table.

use super::lines::RowLines;
use super::{Column, Table, Values};
use crate::error::Result;

impl Table {
    /// Drops the rows that are not to be kept. The others keep their places.
    pub(crate) fn retain_rows(&mut self, keep: &[bool]) -> Result<()> {
        let kept_rows = || (0..self.n_rows).filter(|&row| keep[row]);
        let (mut lines, mut numbers) = (RowLines::default(), RowLines::default());
        for (new, old) in kept_rows().enumerate() {
            match self.lines.of(old) {
                Some(line) => lines.push(new, line),
                None => numbers.push(new, self.row_number(old)),
            }
        }
        let n_rows = kept_rows().count();
        for column in self.columns.iter_mut().chain(&mut self.kept) {
            column.retain_rows(keep, &self.file.name)?;
        }
        (self.n_rows, self.lines, self.numbers) = (n_rows, lines, numbers);
        Ok(())
    }
}

impl Column {
    fn retain_rows(&mut self, keep: &[bool], file: &str) -> Result<()> {
        match &mut self.values {
            Values::Numeric(values) => retain(values, keep),
            Values::Nominal(nominal) => retain(&mut nominal.codes, keep),
        }
        #[cfg(feature = "parquet")]
        if let Some(kept) = &self.kept {
            self.kept = Some(kept.retaining(keep, file)?);
        }
        #[cfg(not(feature = "parquet"))]
        let _ = file;
        Ok(())
    }
}

fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    values.retain(|_| keep.next().is_some_and(|&keep| keep));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_stay_keep_their_numbers() {
        let columns = || {
            let texts = ["a", "b", "c", "d", "e"].map(Some);
            vec![Column::numeric("x", vec![0.0, 1.0, 2.0, 3.0, 4.0]), Column::text("t", texts)]
        };
        let mut table = Table::from_columns(columns()).unwrap();
        table.retain_rows(&[false, true, true, false, true]).unwrap();
        assert_eq!(table.n_rows(), 3);
        assert_eq!(table.columns()[0].values(), &Values::Numeric(vec![1.0, 2.0, 4.0]));
        let places = [0, 1, 2].map(|row| table.place(row).row);
        assert_eq!(places, [Some(2), Some(3), Some(5)]);
        table.retain_rows(&[true, false, true]).unwrap();
        assert_eq!([0, 1].map(|row| table.place(row).row), [Some(2), Some(5)]);
        let Values::Nominal(texts) = table.columns()[1].values() else { panic!() };
        assert_eq!([0, 1].map(|row| texts.text(row)), [Some("b"), Some("e")]);
    }
}
