//! The same table is the same in every format: schema, model bytes and predictions.

use crate::read_with;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use std::sync::Arc;
use ternwood::dataset::notation::DAY;
use ternwood::recipe::{Routing, TreeParams};
use ternwood::words::{date_text, time_text};
use ternwood::{Exec, Learner, Matrix, Model};
use ternwood_table::notation::shortest_number;
use ternwood_table::{EncodeOptions, Encoded, ReadOptions, encode};

/// A column, as it was meant.
#[derive(Debug, Clone)]
enum Kind {
    Number(Vec<Option<f64>>),
    Percent(Vec<Option<f64>>),
    /// Days since 1970-01-01.
    Date(Vec<Option<i32>>),
    /// Milliseconds since 1970-01-01.
    Time(Vec<Option<i64>>),
    Boolean(Vec<Option<bool>>),
    Categories(Vec<Option<&'static str>>),
    /// In this order: small, medium, large.
    Ordered(Vec<Option<&'static str>>),
}

impl Kind {
    /// The cells of a text file.
    fn texts(&self) -> Vec<Option<String>> {
        fn texts<T: Copy>(cells: &[Option<T>], f: impl Fn(T) -> String) -> Vec<Option<String>> {
            cells.iter().map(|cell| cell.map(&f)).collect()
        }
        match self {
            Self::Number(cells) => texts(cells, shortest_number),
            Self::Percent(cells) => texts(cells, |cell| format!("{}%", shortest_number(cell))),
            Self::Date(cells) => texts(cells, |days| date_text(f64::from(days))),
            Self::Time(cells) => texts(cells, |ms| time_text(ms as f64 / 1000.0)),
            Self::Boolean(cells) => texts(cells, |truth| truth.to_string()),
            Self::Categories(cells) | Self::Ordered(cells) => texts(cells, str::to_owned),
        }
    }

    /// The type of an ARFF file.
    fn arff_type(&self) -> &'static str {
        match self {
            Self::Number(_) => "numeric",
            Self::Percent(_) => "string",
            Self::Date(_) => "date 'yyyy-MM-dd'",
            Self::Time(_) => "date 'yyyy-MM-dd HH:mm:ss.SSS'",
            Self::Boolean(_) => "{true, false}",
            // One more than there are, in no order.
            Self::Categories(_) => "{red, 'sky blue', green, \"it's\", 'no one'}",
            Self::Ordered(_) => "{large, small, medium}",
        }
    }

    fn array(&self) -> ArrayRef {
        let texts = || Arc::new(StringArray::from(self.texts())) as ArrayRef;
        match self {
            Self::Number(cells) => Arc::new(Float64Array::from(cells.clone())),
            Self::Date(cells) => Arc::new(Date32Array::from(cells.clone())),
            Self::Time(cells) => Arc::new(TimestampMillisecondArray::from(cells.clone())),
            Self::Boolean(cells) => Arc::new(BooleanArray::from(cells.clone())),
            Self::Percent(_) | Self::Categories(_) | Self::Ordered(_) => texts(),
        }
    }
}

/// Named columns; the last one is the target and has no missing cell.
type Columns = Vec<(String, Kind)>;

fn csv(columns: &Columns, delimiter: char) -> Vec<u8> {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |cells: Vec<String>| cells.join(&delimiter.to_string()) + "\n";
    let mut text = line(columns.iter().map(|(name, _)| quoted(name)).collect());
    let cells: Vec<_> = columns.iter().map(|(_, kind)| kind.texts()).collect();
    for row in 0..cells[0].len() {
        let cell =
            |column: &Vec<Option<String>>| column[row].as_deref().map_or(String::new(), quoted);
        text += &line(cells.iter().map(cell).collect());
    }
    text.into_bytes()
}

fn arff(columns: &Columns) -> Vec<u8> {
    let quoted = |text: &str| format!("\"{text}\"");
    let mut text = "@relation r\n".to_owned();
    for (name, kind) in columns {
        text += &format!("@attribute {} {}\n", quoted(name), kind.arff_type());
    }
    text += "@data\n";
    let cells: Vec<_> = columns.iter().map(|(_, kind)| kind.texts()).collect();
    for row in 0..cells[0].len() {
        let cell =
            |column: &Vec<Option<String>>| column[row].as_deref().map_or("?".to_owned(), quoted);
        text += &(cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n");
    }
    text.into_bytes()
}

fn parquet(columns: &Columns) -> Vec<u8> {
    let columns = columns.iter().map(|(name, kind)| (name, kind.array(), true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn encoded(name: &str, bytes: &[u8], columns: &Columns, threads: usize) -> Encoded {
    let order = ["small", "medium", "large"].map(str::to_owned).to_vec();
    let ordered = columns.iter().filter(|(_, kind)| matches!(kind, Kind::Ordered(_)));
    let options = ordered.fold(ReadOptions::new().threads(threads), |options, (name, _)| {
        options.column(name, ternwood_table::ReadAs::Ordered(order.clone()))
    });
    let table = read_with(name, bytes, &options).unwrap();
    encode(table, &columns.last().unwrap().0, EncodeOptions::default()).unwrap()
}

fn model(data: &Encoded) -> Model {
    let learner = Learner::new(TreeParams::default(), Routing::Probabilistic).unwrap();
    learner.fit(&data.dataset, &Exec::default()).unwrap()
}

fn cells<T: std::fmt::Debug + Clone + 'static>(
    rows: usize,
    values: impl Strategy<Value = T> + 'static,
    missing: f64,
) -> BoxedStrategy<Vec<Option<T>>> {
    let cell = match missing {
        0.0 => values.prop_map(Some).boxed(),
        _ => prop::option::weighted(1.0 - missing, values).boxed(),
    };
    prop::collection::vec(cell, rows).boxed()
}

fn kind(rows: usize, missing: f64) -> impl Strategy<Value = Kind> {
    let decimal = || (-999i32..999).prop_map(|n| f64::from(n) / 4.0);
    let colours = prop::sample::select(vec!["red", "sky blue", "green", "it's"]);
    let sizes = prop::sample::select(vec!["small", "medium", "large"]);
    prop_oneof![
        cells(rows, decimal(), missing).prop_map(Kind::Number),
        cells(rows, any::<f64>().prop_filter("finite", |x| x.is_finite()), missing)
            .prop_map(Kind::Number),
        cells(rows, decimal(), missing).prop_map(Kind::Percent),
        cells(rows, -40_000i32..40_000, missing).prop_map(Kind::Date),
        cells(rows, -4_000_000_000i64..4_000_000_000_000, missing).prop_map(Kind::Time),
        cells(rows, any::<bool>(), missing).prop_map(Kind::Boolean),
        cells(rows, colours, missing).prop_map(Kind::Categories),
        cells(rows, sizes, missing).prop_map(Kind::Ordered),
    ]
}

fn target(rows: usize) -> impl Strategy<Value = Kind> {
    prop_oneof![
        cells(rows, any::<bool>(), 0.0).prop_map(Kind::Boolean),
        cells(rows, (0i32..3).prop_map(f64::from), 0.0).prop_map(Kind::Number),
        cells(rows, prop::sample::select(vec!["red", "green"]), 0.0).prop_map(Kind::Categories),
    ]
}

fn columns() -> impl Strategy<Value = Columns> {
    (2usize..30).prop_flat_map(|rows| {
        let features = prop::collection::vec(kind(rows, 0.1), 1..6);
        (features, target(rows)).prop_map(|(features, target)| {
            let name = |index: usize| ["a", "b c", "d;e", "f,g", "h\u{e4}"][index].to_owned();
            let features = features.into_iter().enumerate();
            let mut columns: Columns = features.map(|(index, kind)| (name(index), kind)).collect();
            columns.push(("the class".to_owned(), target));
            columns
        })
    })
}

/// A column without any value has no type in a text file.
fn has_values((_, kind): &(String, Kind)) -> bool {
    kind.texts().iter().any(Option::is_some)
}

/// All times at midnight are dates, so that is what a column of both kinds must be.
fn is_told_apart((_, kind): &(String, Kind)) -> bool {
    match kind {
        Kind::Time(cells) => cells.iter().flatten().any(|ms| *ms as f64 / 1000.0 % DAY != 0.0),
        _ => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn all_formats_give_the_same_model(columns in columns()) {
        prop_assume!(columns.iter().all(has_values) && columns.iter().all(is_told_apart));
        let expected = encoded("t.csv", &csv(&columns, ','), &columns, 1);
        let grown = model(&expected);
        let rows = Matrix::from(expected.dataset.columns());
        let answers = grown.predict(rows, &Exec::default()).unwrap();
        for (name, bytes) in [
            ("t.tsv", csv(&columns, '\t')),
            ("t.txt", csv(&columns, ';')),
            ("t.arff", arff(&columns)),
            ("t.parquet", parquet(&columns)),
        ] {
            for threads in [1, 3] {
                let other = encoded(name, &bytes, &columns, threads);
                prop_assert_eq!(other.dataset.schema(), expected.dataset.schema(), "{}", name);
                let again = model(&other);
                prop_assert_eq!(again.to_json(), grown.to_json(), "{}", name);
                let rows = Matrix::from(other.dataset.columns());
                prop_assert_eq!(again.predict(rows, &Exec::default()).unwrap(), answers.clone());
            }
        }
    }
}
