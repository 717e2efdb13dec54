//! Drops rows of a table.

use super::lines::RowLines;
use super::{CategoryCode, Column, Nominal, Table, Values};
use crate::error::{ErrorKind, Result};

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

impl Table {
    /// Adds the rows of a table that was read by the same options. Their places are no longer known.
    ///
    /// # Errors
    /// A column is absent there, or of another kind.
    pub fn append(&mut self, mut other: Self) -> Result<()> {
        for column in &mut self.columns {
            column.append(other.take_column(&column.name)?, &other.file.name)?;
        }
        self.kept.clear();
        self.n_rows += other.n_rows;
        self.unreadable.add(other.unreadable);
        self.warnings.extend(other.warnings);
        Ok(())
    }
}

impl Column {
    fn append(&mut self, other: Self, file: &str) -> Result<()> {
        match (&mut self.values, other.values) {
            (Values::Numeric(values), Values::Numeric(more)) => values.extend(more),
            (Values::Nominal(nominal), Values::Nominal(more)) => {
                let code =
                    |name: &String| nominal.categories.iter().position(|known| known == name);
                let known: Option<Vec<usize>> = more.categories.iter().map(code).collect();
                if let Some(known) = known {
                    let codes = more.codes.iter();
                    let codes = codes.map(|code| CategoryCode::new(known[(*code)?.index()]));
                    nominal.codes.extend(codes);
                } else {
                    let texts = (0..nominal.codes.len()).map(|row| nominal.text(row));
                    let texts = texts.chain((0..more.codes.len()).map(|row| more.text(row)));
                    *nominal = Nominal::from_texts(texts);
                }
            }
            _ => {
                let problem = format!("{file}: column '{}' is of another kind there", self.name);
                let remedy = "give all tables the same columns";
                return Err(ErrorKind::Options { problem, remedy: remedy.into() }.into());
            }
        }
        Ok(())
    }

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
    fn tables_are_joined_row_by_row() {
        let table = |numbers: Vec<f64>, texts: &[Option<&str>]| {
            let columns = vec![Column::numeric("x", numbers), Column::text("t", texts.to_vec())];
            Table::from_columns(columns).unwrap()
        };
        let mut all = table(vec![1.0, 2.0], &[Some("b"), None]);
        all.append(table(vec![3.0], &[Some("b")])).unwrap();
        all.append(table(vec![4.0, 5.0], &[Some("a"), Some("c")])).unwrap();
        assert_eq!(
            all,
            table(
                vec![1.0, 2.0, 3.0, 4.0, 5.0],
                &[Some("b"), None, Some("b"), Some("a"), Some("c"),]
            )
        );
        let other = vec![Column::numeric("x", vec![1.0]), Column::numeric("t", vec![1.0])];
        let problem = all.append(Table::from_columns(other).unwrap()).unwrap_err().to_string();
        assert!(problem.contains("column 't' is of another kind there"), "{problem}");
    }

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
