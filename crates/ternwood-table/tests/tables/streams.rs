//! Streams that can be read once, and skipped rows.

use crate::{gzipped, numbers, texts};
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use ternwood::dataset::notation::Notation;
use ternwood_table::{ChunkReader, ReadAs, ReadOptions, Source, read_table};

/// An endless supply of rows that counts the bytes read.
struct Endless(Arc<AtomicUsize>);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let row = b"1,x\n";
        let rows = (buffer.len() / row.len()).clamp(1, 100);
        for (place, byte) in buffer.iter_mut().zip(row.iter().cycle()).take(rows * row.len()) {
            *place = *byte;
        }
        self.0.fetch_add(rows * row.len(), Ordering::Relaxed);
        Ok(rows * row.len())
    }
}

#[test]
fn a_stream_with_known_types_is_not_read_ahead() {
    let read = Arc::new(AtomicUsize::new(0));
    let header = &b"a,b\n"[..];
    let source = Source::stream("pipe", header.chain(Endless(Arc::clone(&read))));
    let options = ReadOptions::new()
        .column("a", ReadAs::Written(Notation::default()))
        .others(ReadAs::Nominal);
    let mut reader = ChunkReader::open(&source, &options).unwrap();
    for _ in 0..3 {
        let table = reader.read(1000).unwrap();
        assert_eq!(numbers(&table, "a"), [1.0; 1000]);
    }
    // Four bytes per row, plus buffers of a few hundred thousand bytes.
    let bytes = read.load(Ordering::Relaxed);
    assert!((12_000..2_000_000).contains(&bytes), "{bytes}");
}

#[test]
fn a_stream_gives_the_same_table_as_a_file() {
    let csv = &b"a,b\n1,x\n2,y\n"[..];
    let arff = &b"@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n1,x\n2,y\n"[..];
    for bytes in [csv.to_vec(), gzipped(csv), arff.to_vec(), gzipped(arff)] {
        let source = Source::stream("pipe", std::io::Cursor::new(bytes));
        let table = read_table(&source, &ReadOptions::new()).unwrap();
        assert_eq!(numbers(&table, "a"), [1.0, 2.0]);
        assert_eq!(texts(&table, "b"), ["x", "y"]);
        let again = read_table(&source, &ReadOptions::new()).unwrap_err().to_string();
        assert!(again.contains("only once"), "{again}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn a_stream_can_be_parquet() {
    use crate::properties::written;
    use ternwood_table::{Column, Format, Table};
    let table = Table::from_columns(vec![Column::numeric("a", vec![1.0, 2.0])]).unwrap();
    let bytes = std::io::Cursor::new(written(&table, Format::Parquet));
    let read = read_table(&Source::stream("pipe", bytes), &ReadOptions::new()).unwrap();
    assert_eq!(numbers(&read, "a"), [1.0, 2.0]);
}

#[test]
fn skipped_rows_are_not_checked() {
    let csv = "a,b\n1,x\nbad,y\n\n3,z\n4,z\n";
    let arff = "@relation r\n@attribute a numeric\n@attribute b {x,z}\n@data\n\
                1,x\nbad,y\n% no row\n3,z\n4,z\n";
    for (name, text, line) in [("t.csv", csv, 5), ("t.arff", arff, 8)] {
        let options = ReadOptions::new()
            .column("a", ReadAs::Written(Notation::default()))
            .others(ReadAs::Nominal);
        let source = Source::bytes(name, text.as_bytes());
        let mut reader = ChunkReader::open(&source, &options).unwrap();
        assert_eq!(reader.skip(2).unwrap(), 2);
        let table = reader.read(1).unwrap();
        assert_eq!(numbers(&table, "a"), [3.0], "{name}");
        assert_eq!(table.place(0).line, Some(line), "{name}");
        assert_eq!(reader.skip(10).unwrap(), 1, "{name}");
        assert_eq!(reader.read(1).unwrap().n_rows(), 0);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_rows_can_be_skipped() {
    use crate::properties::written;
    use ternwood_table::{Column, Format, Table};
    let values: Vec<f64> = (0..20_000).map(f64::from).collect();
    let table = Table::from_columns(vec![Column::numeric("a", values)]).unwrap();
    let source = Source::bytes("t.parquet", written(&table, Format::Parquet));
    let mut reader = ChunkReader::open(&source, &ReadOptions::new()).unwrap();
    assert_eq!(reader.skip(12_345).unwrap(), 12_345);
    let row = reader.read(1).unwrap();
    assert_eq!(numbers(&row, "a"), [12_345.0]);
    assert_eq!(row.place(0).row, Some(12_346));
    assert_eq!(reader.skip(u64::MAX).unwrap(), 20_000 - 12_346);
}
