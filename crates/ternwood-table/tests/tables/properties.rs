//! Properties: readers never panic, and written tables are read back unchanged.

use crate::{read, read_with};
use proptest::prelude::*;
use ternwood_table::{
    Column, EncodeOptions, Format, MISSING_SPELLINGS, MissingPolicy, ReadOptions, Table,
    TableWriter, Values, encode,
};

/// Bytes that resemble CSV enough to get past the first lines.
fn almost_csv() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b",".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\"".to_vec()),
        Just(b";".to_vec()),
        Just(b"\t".to_vec()),
        Just(b"?".to_vec()),
        "[a-c0-9.e-]{0,4}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..3),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn almost_arff() -> impl Strategy<Value = Vec<u8>> {
    let header = prop_oneof![
        Just("@relation r\n@attribute a numeric\n@attribute b {x,'y z'}\n@data\n"),
        Just("@relation r\n@attribute a date\n@attribute b string\n@data\n"),
        Just("@attribute a {"),
        Just(""),
    ];
    let pieces: Vec<&[u8]> = vec![
        b",",
        b"\n",
        b"{",
        b"}",
        b"'",
        b"\\",
        b"%",
        b" ",
        b"0",
        b"1",
        b"x",
        b"?",
        b"\\u12",
        b"\xff",
        b"\n@attribute c real [0",
        b"1970-01-01T00:00:00",
    ];
    let piece = prop::sample::select(pieces);
    let rows = prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat());
    (header, rows).prop_map(|(header, rows)| [header.as_bytes(), &rows].concat())
}

/// Reads bytes and encodes the table if there is one. Neither must panic.
fn read_and_encode(name: &str, bytes: &[u8]) {
    let Ok(table) = read(name, bytes) else { return };
    for row in 0..table.n_rows() {
        _ = table.place(row).to_string();
    }
    let Some(target) = table.columns().last().map(|column| column.name().to_owned()) else {
        return;
    };
    for missing in [MissingPolicy::Keep, MissingPolicy::Median] {
        let mut table = table.clone();
        _ = table.drop_rows_without_class(&target);
        _ = encode(table, &target, EncodeOptions::missing(missing));
    }
}

/// A category that survives a CSV file: trimmed, and not a spelling of a missing value.
fn category() -> impl Strategy<Value = Option<String>> {
    prop::option::weighted(0.9, "[a-zA-Z0-9,;'\"\n\t äß€%{}\\\\?-]{1,8}").prop_map(|text| {
        text.filter(|text| text.trim() == text && !MISSING_SPELLINGS.contains(&text.as_str()))
    })
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("infinite", |value| !value.is_infinite()),
        (-1000i32..1000).prop_map(|value| f64::from(value) / 8.0),
    ]
}

pub(crate) fn table() -> impl Strategy<Value = Table> {
    (0usize..20).prop_flat_map(|rows| {
        (prop::collection::vec(number(), rows), prop::collection::vec(category(), rows)).prop_map(
            |(numbers, texts)| {
                let columns =
                    vec![Column::text("a text", texts), Column::numeric("a number", numbers)];
                Table::from_columns(columns).unwrap()
            },
        )
    })
}

/// Asserts equal categories and bitwise equal numbers, where NaN equals NaN.
pub(crate) fn assert_same(a: &Table, b: &Table) {
    assert_eq!(a.column_names(), b.column_names());
    assert_eq!(a.n_rows(), b.n_rows());
    for (x, y) in a.columns().iter().zip(b.columns()) {
        match (x.values(), y.values()) {
            (Values::Numeric(x), Values::Numeric(y)) => {
                let bits = |values: &[f64]| -> Vec<Option<u64>> {
                    values.iter().map(|v| (!v.is_nan()).then_some(v.to_bits())).collect()
                };
                assert_eq!(bits(x), bits(y));
            }
            (Values::Nominal(x), Values::Nominal(y)) => {
                assert_eq!(x.categories(), y.categories());
                assert_eq!(x.codes(), y.codes());
            }
            _ => panic!("the kinds of '{}' differ", x.name()),
        }
    }
}

pub(crate) fn written(table: &Table, format: Format) -> Vec<u8> {
    let mut writer = TableWriter::new("t", Vec::new(), format).unwrap();
    writer.write(table).unwrap();
    writer.finish().unwrap()
}

/// The table as ARFF, with every text quoted.
fn as_arff(table: &Table) -> String {
    let quoted = |text: &str| {
        let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
        format!("'{}'", escaped.replace('\n', "\\n").replace('\t', "\\t"))
    };
    let mut arff = "@relation t\n".to_owned();
    for column in table.columns() {
        let kind = match column.values() {
            Values::Numeric(_) => "numeric".to_owned(),
            Values::Nominal(nominal) => {
                let all: Vec<String> = nominal.categories().iter().map(|c| quoted(c)).collect();
                format!("{{{}}}", all.join(","))
            }
        };
        arff.push_str(&format!("@attribute {} {kind}\n", quoted(column.name())));
    }
    arff.push_str("@data\n");
    for row in 0..table.n_rows() {
        let cell = |column: &Column| match column.values() {
            Values::Numeric(values) if values[row].is_nan() => "?".to_owned(),
            Values::Numeric(values) => format!("{:?}", values[row]),
            Values::Nominal(nominal) => nominal.text(row).map_or("?".to_owned(), quoted),
        };
        let cells: Vec<String> = table.columns().iter().map(cell).collect();
        arff.push_str(&format!("{}\n", cells.join(",")));
    }
    arff
}

proptest! {
    #[test]
    fn the_csv_reader_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_and_encode("t.csv", &bytes);
        read_and_encode("t", &bytes);
    }

    #[test]
    fn the_csv_reader_never_panics_on_almost_csv(bytes in almost_csv()) {
        read_and_encode("t.csv", &bytes);
        read_and_encode("t.tsv", &bytes);
    }

    #[test]
    fn the_arff_reader_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_and_encode("t.arff", &bytes);
    }

    #[test]
    fn the_arff_reader_never_panics_on_almost_arff(bytes in almost_arff()) {
        read_and_encode("t.arff", &bytes);
    }

    #[test]
    fn csv_round_trip(table in table()) {
        let options = ReadOptions::new().nominal(["a text"]).header(true);
        for (name, format) in [("t.csv", Format::Csv), ("t.tsv", Format::Tsv)] {
            let options = if format == Format::Csv {
                options.clone().delimiter(b',')
            } else {
                options.clone()
            };
            assert_same(&read_with(name, written(&table, format), &options).unwrap(), &table);
        }
    }

    #[test]
    fn arff_round_trip(table in table()) {
        assert_same(&read("t.arff", as_arff(&table)).unwrap(), &table);
    }
}
