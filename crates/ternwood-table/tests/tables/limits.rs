//! Fields and rows that are too long are refused, with their place, before they fill the memory.

use crate::{gzipped, read_with};
use proptest::prelude::*;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use ternwood::dataset::notation::Notation;
use ternwood_table::{ChunkReader, ErrorKind, MAX_FIELD, ReadAs, ReadOptions, Source, read_table};

/// A text without end, which counts the bytes that were read.
struct Endless {
    pattern: &'static [u8],
    read: Arc<AtomicUsize>,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let start = self.read.fetch_add(buffer.len(), Ordering::Relaxed);
        for (place, byte) in buffer.iter_mut().enumerate() {
            *byte = self.pattern[(start + place) % self.pattern.len()];
        }
        Ok(buffer.len())
    }
}

/// The error of a text that goes on for ever, and how many bytes of it were read.
fn of_endless(start: &'static str, pattern: &'static str, chunks: bool) -> (String, usize) {
    let read = Arc::new(AtomicUsize::new(0));
    let endless = Endless { pattern: pattern.as_bytes(), read: Arc::clone(&read) };
    let source = Source::stream("pipe", start.as_bytes().chain(endless));
    let mut options = ReadOptions::new();
    let error = if chunks {
        options = options.others(ReadAs::Nominal);
        let reader = ChunkReader::open(&source, &options);
        reader.and_then(|mut reader| reader.read(usize::MAX)).unwrap_err()
    } else {
        read_table(&source, &options).unwrap_err()
    };
    (error.to_string(), read.load(Ordering::Relaxed))
}

#[test]
fn a_field_without_end_is_refused_after_a_few_megabytes() {
    let arff = "@relation r\n@attribute a numeric\n@attribute b string\n@data\n1,x\n";
    let cases = [
        ("a,b\n1,x\n2,", "x", "pipe, line 3, column 'b'"),
        ("a,b\n1,x\n2,\"", "x,\n", "pipe, line 3, column 'b'"),
        ("a,b\n1,x\n", "7", "pipe, line 3, column 'a'"),
        ("a,b\n1,x\n2,x,", "x", "pipe, line 3"),
        ("a,", "x", "pipe, line 1, column 'x1'"),
        ("", "7", "pipe, line 1, column 'x0'"),
        (arff, "x", "pipe, line 6, column 'a'"),
        ("@relation r\n@attribute a string\n@data\n'", "x,", "pipe, line 4, column 'a'"),
    ];
    for (start, pattern, place) in cases {
        for chunks in [false, true] {
            let (error, read) = of_endless(start, pattern, chunks);
            let expected = format!(
                "{place}: the field is longer than 1 MiB; is a quote not closed? If not, allow longer fields"
            );
            assert_eq!(error, expected, "{start:?}");
            // Of ARFF, whose rows are lines, a whole row is read.
            let most = if start.starts_with('@') { 70 } else { 5 };
            assert!(read < most * MAX_FIELD, "{start:?}: {read}");
        }
    }
}

#[test]
fn a_row_without_end_is_refused() {
    // So long that the row ends before it has too many columns.
    const NAME: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,";
    let cases = [
        ("a,b\n1,x\n2,", "x,", "pipe, line 3"),
        ("a,", NAME, "pipe, line 1"),
        ("@relation r\n@attribute a string\n@data\n", "x,", "pipe, line 4"),
        ("@relation r\n@attribute a {", "x,", "pipe, line 2"),
        ("@relation r\n% ", "x", "pipe, line 2"),
    ];
    for (start, pattern, place) in cases {
        let (error, read) = of_endless(start, pattern, false);
        assert!(error.starts_with(&format!("{place}: the row is longer than 64 MiB")), "{error}");
        assert!(read < 140 * MAX_FIELD, "{start:?}: {read}");
    }
}

#[test]
fn the_error_has_its_limits_as_data() {
    let long = "x".repeat(5000);
    let options = ReadOptions::new().max_field(4096);
    let error = read_with("t.csv", format!("a,b\n1,{long}\n"), &options).unwrap_err();
    let ErrorKind::TooLong { place, what, limit, max_field } = error.kind() else {
        panic!("{error}")
    };
    assert_eq!((place.line, place.column.as_deref()), (Some(2), Some("b")));
    assert_eq!((*what, *limit, *max_field), ("field", 4096, 4096));
    let arff = format!("@relation r\n@attribute a {{b,{long}}}\n@data\nb\n");
    let error = read_with("t.arff", arff, &options).unwrap_err().to_string();
    assert!(
        error.starts_with("t.arff, line 2, column 'a': the field is longer than 4 KiB"),
        "{error}"
    );
    assert!(read_with("t.csv", format!("a,b\n1,{long}\n"), &options.max_field(5000)).is_ok());
}

/// A small file, as of an attacker.
#[test]
fn a_compressed_field_is_not_unpacked_whole() {
    let file = gzipped(format!("a,b\n1,{}\n", "x".repeat(50 * MAX_FIELD)).as_bytes());
    assert!(file.len() < MAX_FIELD);
    let read_as = || ReadOptions::new().column("a", ReadAs::Written(Notation::default()));
    for options in [read_as().others(ReadAs::Drop), read_as().others(ReadAs::Nominal)] {
        let source = Source::bytes("t.csv", file.clone());
        let mut reader = ChunkReader::open(&source, &options).unwrap();
        let error = reader.read(10).unwrap_err().to_string();
        assert!(error.starts_with("t.csv, line 2, column 'b': the field is longer"), "{error}");
        let mut reader = ChunkReader::open(&source, &options).unwrap();
        let error = reader.skip(10).unwrap_err().to_string();
        assert!(error.starts_with("t.csv, line 2, column 'b': the field is longer"), "{error}");
    }
}

/// A small file can hold rows that together are larger than memory.
#[test]
fn a_chunk_of_long_rows_has_few_of_them() {
    const ROWS: usize = 50;
    let note = |row: usize| format!("{row}{}", "x".repeat(MAX_FIELD - 10));
    let rows: String = (0..ROWS).map(|row| format!("{row},{}\n", note(row))).collect();
    let sparse = "@relation r\n".to_owned()
        + &(0..1_000).map(|at| format!("@attribute a{at} numeric\n")).collect::<String>()
        + "@data\n"
        + &"{}\n".repeat(30_000);
    let arff = "@relation r\n@attribute a numeric\n@attribute b string\n@data\n";
    for (name, text, rows, most) in [
        ("t.csv", format!("a,b\n{rows}"), ROWS, 20),
        ("t.arff", format!("{arff}{rows}"), ROWS, 20),
        ("sparse.arff", sparse, 30_000, 20_000),
    ] {
        let read_as = ReadOptions::new().column("a", ReadAs::Written(Notation::default()));
        let options =
            if rows == ROWS { read_as.others(ReadAs::Nominal) } else { ReadOptions::new() };
        let source = Source::bytes(name, gzipped(text.as_bytes()));
        let mut reader = ChunkReader::open(&source, &options).unwrap();
        let mut chunks = Vec::new();
        loop {
            let table = reader.read(usize::MAX).unwrap();
            if table.n_rows() == 0 {
                break;
            }
            chunks.push(table.n_rows());
        }
        assert_eq!(chunks.iter().sum::<usize>(), rows, "{name}: {chunks:?}");
        assert!(chunks.iter().all(|&rows| rows <= most), "{name}: {chunks:?}");
        // The whole table has all rows.
        let table = read_table(&source, &ReadOptions::new()).unwrap();
        assert_eq!(table.n_rows(), rows, "{name}");
    }
}

#[test]
fn a_header_of_millions_of_columns_is_refused() {
    let columns = |n: usize| vec!["a"; n].join(",");
    let error = |text: &str| read_with("t.csv", text, &ReadOptions::new()).unwrap_err().to_string();
    let found = error(&columns(1_000_001));
    assert!(found.starts_with("t.csv: it has more than 1,000,000 columns; split it"), "{found}");
    let (found, read) = of_endless("a,", "x,", false);
    assert!(found.starts_with("pipe: it has more than 1,000,000 columns"), "{found}");
    assert!(read < 140 * MAX_FIELD, "{read}");
    // So many are read, and have the next error.
    let found = error(&columns(1_000_000));
    assert!(found.contains("the column name 'a' occurs twice"), "{found}");
}

#[cfg(feature = "parquet")]
#[test]
fn texts_of_parquet_have_the_same_limit() {
    use crate::properties::written;
    use ternwood_table::Format;

    let long = "x".repeat(5000);
    let table = read_with("t.csv", format!("a,b\n1,y\n2,{long}\n"), &ReadOptions::new()).unwrap();
    let file = written(&table, Format::Parquet);
    let options = ReadOptions::new().max_field(4999);
    for options in [options.clone(), options.clone().keep().others(ReadAs::Drop)] {
        let error = read_with("t.parquet", &file, &options).unwrap_err().to_string();
        assert!(error.starts_with("t.parquet, row 2, column 'b': the field is longer"), "{error}");
    }
    assert!(read_with("t.parquet", &file, &options.clone().drop(["b"])).is_ok());
    assert!(read_with("t.parquet", &file, &options.max_field(5000)).is_ok());
    // So much more than a row may take that nothing is read.
    let longest = "x".repeat(3 * MAX_FIELD);
    let table = read_with(
        "t.csv",
        format!("a,b\n1,{longest}\n"),
        &ReadOptions::new().max_field(4 * MAX_FIELD),
    );
    let file = written(&table.unwrap(), Format::Parquet);
    let error = read_with("t.parquet", &file, &ReadOptions::new()).unwrap_err().to_string();
    assert!(error.starts_with("t.parquet, column 'b': the field is longer than 1 MiB"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The first field that is too long is the error, whatever surrounds it and however it is read.
    #[test]
    fn exactly_the_fields_that_are_too_long_are_refused(
        lengths in prop::collection::vec(
            (prop::sample::select(vec![1, 900, 1023, 1024, 1025, 1030, 3000_usize]), any::<bool>()),
            1..12,
        ),
        threads in 1..3_usize,
        chunk in 1..5_usize,
    ) {
        let mut text = String::from("a,b");
        let mut first = None;
        for (index, &(length, quoted)) in lengths.iter().enumerate() {
            text += if index % 2 == 0 { "\n" } else { "," };
            let field = if quoted { format!("\"{}\"", "x".repeat(length)) } else { "x".repeat(length) };
            if field.len() > 1024 {
                first = first.or(Some((index / 2 + 2, ["a", "b"][index % 2])));
            }
            text += &field;
        }
        if lengths.len() % 2 == 1 {
            text += ",x";
        }
        let options = ReadOptions::new().max_field(1024).nominal(["a", "b"]).threads(threads);
        let source = Source::bytes("t.csv", text.as_bytes());
        let mut reader = ChunkReader::open(&source, &options).unwrap();
        let in_chunks = loop {
            match reader.read(chunk) {
                Ok(table) if table.n_rows() == 0 => break None,
                Ok(_) => {}
                Err(error) => break Some(error.to_string()),
            }
        };
        let whole = read_table(&source, &options).err().map(|error| error.to_string());
        prop_assert_eq!(&whole, &in_chunks);
        let place = first.map(|(line, column)| format!("t.csv, line {line}, column '{column}'"));
        let found = whole.as_ref().map(|error| error.split(": ").next().unwrap().to_owned());
        prop_assert_eq!(found, place);
    }
}
