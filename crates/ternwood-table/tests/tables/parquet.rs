//! Parquet.

use crate::properties::{assert_same, table, written};
use crate::{categories, numbers, read, read_with, texts};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    DurationMillisecondArray, Float32Array, Int64Array, LargeStringArray, ListArray, RecordBatch,
    StringArray, TimestampMillisecondArray, UInt8Array,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use std::sync::Arc;
use ternwood::ClassName;
use ternwood_table::{
    ChunkReader, Column, EncodeOptions, ErrorKind, Format, ReadAs, ReadOptions, Source, Table,
    TableWriter, Warning, encode,
};

fn file(columns: Vec<(&str, ArrayRef)>, compression: Compression) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn mixed() -> Vec<(&'static str, ArrayRef)> {
    let words = ["pear", "apple", "pear"];
    let dictionary: DictionaryArray<Int32Type> = words.into_iter().map(Some).collect();
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)]), None, None]);
    let decimals = Decimal128Array::from(vec![150, -25, 0]).with_precision_and_scale(9, 2);
    vec![
        ("int", Arc::new(Int64Array::from(vec![Some(1), None, Some(-3)]))),
        ("byte", Arc::new(UInt8Array::from(vec![0, 128, 255]))),
        ("float", Arc::new(Float32Array::from(vec![0.5, f32::NAN, -1.0]))),
        ("decimal", Arc::new(decimals.unwrap())),
        ("day", Arc::new(Date32Array::from(vec![0, 1, -1]))),
        ("time", Arc::new(TimestampMillisecondArray::from(vec![1500, 0, -500]))),
        ("duration", Arc::new(DurationMillisecondArray::from(vec![1500, 0, -500]))),
        ("truth", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("text", Arc::new(StringArray::from(vec![Some("b"), Some("a"), None]))),
        ("large", Arc::new(LargeStringArray::from(vec!["10", "9", "1"]))),
        ("dictionary", Arc::new(dictionary)),
        ("list", Arc::new(list)),
    ]
}

#[test]
fn every_type_is_read_as_documented() {
    let table = read("t.parquet", file(mixed(), Compression::UNCOMPRESSED)).unwrap();
    assert_eq!(numbers(&table, "int")[0], 1.0);
    assert!(numbers(&table, "int")[1].is_nan());
    assert_eq!(numbers(&table, "byte"), [0.0, 128.0, 255.0]);
    assert!(numbers(&table, "float")[1].is_nan());
    assert_eq!(numbers(&table, "decimal"), [1.5, -0.25, 0.0]);
    assert_eq!(numbers(&table, "day"), [0.0, 1.0, -1.0]);
    assert_eq!(numbers(&table, "time"), [1.5, 0.0, -0.5]);
    assert_eq!(numbers(&table, "duration"), [1.5, 0.0, -0.5]);
    assert_eq!(texts(&table, "truth"), ["true", "-", "false"]);
    assert_eq!(texts(&table, "text"), ["b", "a", "-"]);
    assert_eq!(texts(&table, "large"), ["10", "9", "1"]);
    assert_eq!(texts(&table, "dictionary"), ["pear", "apple", "pear"]);
    assert_eq!(categories(&table, "dictionary"), ["apple", "pear"]);
    assert_eq!(table.n_columns(), 11);
    let [Warning::UnsupportedType { column, .. }] = table.warnings() else {
        panic!("{:?}", table.warnings());
    };
    assert_eq!(column, "list");
    assert_eq!(table.place(1).to_string(), "t.parquet, row 2");
}

#[test]
fn compressed_files_give_the_same_table() {
    let plain = read("t.parquet", file(mixed(), Compression::UNCOMPRESSED)).unwrap();
    for compression in [
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        assert_same(&read("t", file(mixed(), compression)).unwrap(), &plain);
    }
}

#[test]
fn options_override_the_types_of_the_file() {
    let bytes = file(mixed(), Compression::SNAPPY);
    let options = ReadOptions::new()
        .others(ReadAs::Drop)
        .nominal(["byte", "truth"])
        .column("large", ReadAs::Number)
        .column("int", ReadAs::Nominal);
    let table = read_with("t.parquet", &bytes, &options).unwrap();
    assert_eq!(table.column_names(), ["int", "byte", "truth", "large"]);
    assert_eq!(texts(&table, "int"), ["1", "-", "-3"]);
    assert_eq!(categories(&table, "byte"), ["0", "128", "255"]);
    assert_eq!(numbers(&table, "large"), [10.0, 9.0, 1.0]);

    let wrong = ReadOptions::new().column("dictionary", ReadAs::Number);
    let message = read_with("t.parquet", &bytes, &wrong).unwrap_err().to_string();
    let place = "t.parquet, row 1, column 'dictionary': 'pear' is not a number";
    assert!(message.starts_with(place), "{message}");
}

#[test]
fn boolean_classes_stay_booleans() {
    let columns = vec![
        ("x", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef),
        ("y", Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef),
    ];
    let table = read("t.parquet", file(columns, Compression::SNAPPY)).unwrap();
    let encoded = encode(table, "y", EncodeOptions::default()).unwrap();
    assert_eq!(encoded.dataset.schema().classes(), [false, true].map(ClassName::Boolean));
    assert_eq!(encoded.dataset.labels(), [1, 0]);
}

#[test]
fn chunks_add_up_to_the_table() {
    let values: Vec<f64> = (0..20_000).map(f64::from).collect();
    let whole = Table::from_columns(vec![Column::numeric("x", values.clone())]).unwrap();
    let source = Source::bytes("t.parquet", written(&whole, Format::Parquet));
    for limit in [1000, 8192, 12_345, usize::MAX] {
        let mut reader = ChunkReader::open(&source, &ReadOptions::new()).unwrap();
        let mut joined = Vec::new();
        loop {
            let chunk = reader.read(limit).unwrap();
            if chunk.n_rows() == 0 {
                break;
            }
            assert!(chunk.n_rows() <= limit);
            assert_eq!(chunk.place(0).row, Some(joined.len() as u64 + 1));
            joined.extend_from_slice(numbers(&chunk, "x"));
        }
        assert_eq!(joined, values);
    }
}

#[test]
fn tables_in_one_file_must_have_the_same_columns() {
    let named = |name: &str| Table::from_columns(vec![Column::numeric(name, vec![1.0])]).unwrap();
    for format in [Format::Csv, Format::Parquet] {
        let mut writer = TableWriter::new("t", Vec::new(), format).unwrap();
        writer.write(&named("a")).unwrap();
        writer.write(&named("a")).unwrap();
        assert!(matches!(writer.write(&named("b")).unwrap_err().kind(), ErrorKind::Options { .. }));
        let options = ReadOptions::new().header(true);
        let table = read_with("t", writer.finish().unwrap(), &options).unwrap();
        assert_eq!(numbers(&table, "a"), [1.0, 1.0]);
    }
}

#[test]
fn a_truncated_file_is_an_error() {
    let bytes = file(mixed(), Compression::SNAPPY);
    let cut = read("t.parquet", &bytes[..bytes.len() / 2]).unwrap_err();
    assert!(matches!(cut.kind(), ErrorKind::Format { .. }), "{cut}");
    assert!(read("t.parquet", b"PAR1").is_err());
}

proptest! {
    #[test]
    fn parquet_round_trip(table in table()) {
        // By itself, a text column of nothing but percentages would be read as numbers.
        let options = ReadOptions::new().nominal(["a text"]);
        let bytes = written(&table, Format::Parquet);
        assert_same(&read_with("t.parquet", bytes, &options).unwrap(), &table);
    }

    #[test]
    fn damaged_files_do_not_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        compressed in any::<bool>(),
    ) {
        let compression = if compressed { Compression::SNAPPY } else { Compression::UNCOMPRESSED };
        let mut bytes = file(mixed(), compression);
        for (index, byte) in damage {
            // The first and last four bytes are only the magic number.
            let index = 4 + index.index(bytes.len() - 8);
            bytes[index] = byte;
        }
        _ = read("t.parquet", &bytes);
    }
}
