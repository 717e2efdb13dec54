//! The raw results: one row per data set, fold and method.

use crate::error::{Error, Result};
use crate::method::Method;
use std::io::Write;
use std::path::Path;
use ternwood::metrics::Figures;

/// The results of one method on the test part of one fold.
#[derive(Debug, Clone, PartialEq)]
pub struct RawRow {
    /// The fold and its data set.
    pub unit: Unit,
    /// The method.
    pub method: Method,
    /// The number of test rows.
    pub rows: usize,
    /// The number of training rows.
    pub training_rows: usize,
    /// The results. When read from a file, only those that the file has.
    pub figures: Figures,
}

/// The unit of work: one fold of one data set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    /// OpenML id of the data set; 0 for generated data.
    pub openml_id: u32,
    /// Its name.
    pub dataset: String,
    /// The fold.
    pub fold: u8,
}

/// The columns of `raw.csv`.
pub const COLUMNS: [&str; 16] = [
    "openml_id",
    "dataset",
    "fold",
    "zone",
    "routing",
    "rows",
    "undecided_rate",
    "decided_accuracy",
    "undecided_accuracy",
    "accuracy",
    "decided_f1",
    "training_rows",
    "chow_cart_accuracy",
    "chow_own_accuracy",
    "aurc",
    "log_loss",
];

/// Writes rows with a header. Numbers are as short as possible without losing a bit; undefined ones
/// are empty.
pub(crate) fn write_rows<'a>(
    out: impl Write,
    rows: impl IntoIterator<Item = &'a RawRow>,
) -> csv::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for row in rows {
        writer.write_record(row.fields())?;
    }
    Ok(writer.flush()?)
}

/// Reads rows back.
pub(crate) fn read_rows(path: &Path, text: &str) -> Result<Vec<RawRow>> {
    let complaint = |line, problem| Error::Line { path: path.to_owned(), line, problem };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| complaint(1, error.to_string()))?;
    if header.iter().ne(COLUMNS) {
        let problem = "these are not the columns of raw.csv; was it written by another version?";
        return Err(complaint(1, problem.to_owned()));
    }
    reader
        .records()
        .enumerate()
        .map(|(index, record)| {
            let record = record.map_err(|error| complaint(index + 2, error.to_string()))?;
            let field = |column: usize| record.get(column).unwrap_or_default();
            RawRow::from_fields(field).map_err(|problem| complaint(index + 2, problem))
        })
        .collect()
}

impl RawRow {
    /// The key of the data set.
    pub(crate) fn set(&self) -> (u32, &str) {
        (self.unit.openml_id, &self.unit.dataset)
    }

    fn fields(&self) -> [String; COLUMNS.len()] {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let Self { unit, method, rows, training_rows, figures } = self;
        let rates = figures.rates;
        [
            unit.openml_id.to_string(),
            unit.dataset.clone(),
            unit.fold.to_string(),
            method.zone_name().to_owned(),
            method.routing.as_str().to_owned(),
            rows.to_string(),
            number(rates.undecided_rate),
            number(rates.decided_accuracy),
            number(rates.undecided_accuracy),
            number(rates.accuracy),
            number(rates.decided_f1),
            training_rows.to_string(),
            number(figures.chow_cart),
            number(figures.chow),
            number(figures.aurc),
            number(figures.log_loss),
        ]
    }

    fn from_fields<'t>(field: impl Fn(usize) -> &'t str) -> Result<Self, String> {
        fn whole<T: std::str::FromStr>(column: usize, text: &str) -> Result<T, String> {
            text.parse().map_err(|_| format!("{} is '{text}', no whole number", COLUMNS[column]))
        }
        let number = |column: usize| match field(column) {
            "" => Ok(None),
            text => {
                let parsed: Option<f64> = text.parse().ok().filter(|value: &f64| value.is_finite());
                parsed.map(Some).ok_or_else(|| format!("{} is '{text}'", COLUMNS[column]))
            }
        };
        let method = Method::named(field(3), field(4))
            .ok_or_else(|| format!("there is no method '{},{}'", field(3), field(4)))?;
        let mut figures = Figures::default();
        figures.rates.undecided_rate = number(6)?;
        figures.rates.decided_accuracy = number(7)?;
        figures.rates.undecided_accuracy = number(8)?;
        figures.rates.accuracy = number(9)?;
        figures.rates.decided_f1 = number(10)?;
        figures.chow_cart = number(12)?;
        figures.chow = number(13)?;
        figures.aurc = number(14)?;
        figures.log_loss = number(15)?;
        Ok(Self {
            unit: Unit {
                openml_id: whole(0, field(0))?,
                dataset: field(1).to_owned(),
                fold: whole(2, field(2))?,
            },
            method,
            rows: whole(5, field(5))?,
            training_rows: whole(11, field(11))?,
            figures,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Estimator;

    fn row(dataset: &str, accuracy: f64) -> RawRow {
        let mut figures = Figures::default();
        figures.rates.accuracy = Some(accuracy);
        figures.rates.undecided_rate = Some(1.0 / 3.0);
        figures.aurc = Some(1e-7);
        let unit = Unit { openml_id: 7, dataset: dataset.to_owned(), fold: 2 };
        let method = Method::probabilistic(Estimator::Margin);
        RawRow { unit, method, rows: 9, training_rows: 36, figures }
    }

    #[test]
    fn written_rows_are_read_back_bit_for_bit() {
        let rows = [row("a, \"strange\" name", 0.1 + 0.2), row("plain", 1.0)];
        let mut written = Vec::new();
        write_rows(&mut written, &rows).unwrap();
        let text = String::from_utf8(written).unwrap();
        assert!(text.starts_with(
            "openml_id,dataset,fold,zone,routing,rows,undecided_rate,decided_accuracy,\
             undecided_accuracy,accuracy,decided_f1,"
        ));
        assert!(text.contains("\n7,plain,2,margin,probabilistic,9,0.3333333333333333,,,1,,36,"));
        assert_eq!(read_rows(Path::new("raw.csv"), &text).unwrap(), rows);
    }

    #[test]
    fn malformed_lines_are_reported_by_number() {
        let mut written = Vec::new();
        write_rows(&mut written, &[row("plain", 1.0)]).unwrap();
        let text = String::from_utf8(written).unwrap();
        let error = |text: &str| read_rows(Path::new("raw.csv"), text).unwrap_err().to_string();
        let wrong = error(&text.replace("probabilistic", "crisp"));
        assert_eq!(wrong, "raw.csv line 2: there is no method 'margin,crisp'");
        let wrong = error(&text.replace("0.3333333333333333", "NaN"));
        assert_eq!(wrong, "raw.csv line 2: undecided_rate is 'NaN'");
        assert!(error(&text[..text.len() - 12]).contains("line 2"), "a torn row");
        assert!(error("a,b\n1,2\n").contains("not the columns of raw.csv"));
    }
}
