//! Columns to keep have their types in Parquet and have a readable text form.

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    DurationSecondArray, Float32Array, Float64Array, Int64Array, LargeStringArray, ListArray,
    RecordBatch, StringArray, Time64MicrosecondArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, UInt64Array,
};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::sync::Arc;
use ternwood_table::{
    ChunkReader, Format, ReadAs, ReadOptions, Source, Table, TableWriter, Warning,
};

/// A column of each type, most of them with a missing value.
fn columns() -> Vec<(&'static str, ArrayRef)> {
    let dictionary: DictionaryArray<Int32Type> = [Some("b"), None, Some("a")].into_iter().collect();
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1)]),
        None,
        Some(vec![]),
    ]);
    let decimals = Decimal128Array::from(vec![Some(150), None, Some(-7)]);
    let moments = TimestampMicrosecondArray::from(vec![Some(1_714_567_890_000_001), None, Some(0)]);
    vec![
        (
            "int",
            Arc::new(Int64Array::from(vec![Some(i64::MAX), None, Some(9_007_199_254_740_993)])),
        ),
        ("unsigned", Arc::new(UInt64Array::from(vec![u64::MAX, 0, 1]))),
        ("single", Arc::new(Float32Array::from(vec![Some(0.1), None, Some(-2.0)]))),
        ("double", Arc::new(Float64Array::from(vec![0.1, f64::NAN, 1e300]))),
        ("decimal", Arc::new(decimals.with_precision_and_scale(9, 2).unwrap())),
        ("day", Arc::new(Date32Array::from(vec![Some(19_844), None, Some(-1)]))),
        ("local", Arc::new(TimestampMillisecondArray::from(vec![Some(1500), None, Some(0)]))),
        ("moment", Arc::new(moments.with_timezone("UTC"))),
        ("time", Arc::new(Time64MicrosecondArray::from(vec![3_661_000_000, 0, 1]))),
        ("truth", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("text", Arc::new(StringArray::from(vec![Some("NA"), None, Some(" a,b ")]))),
        ("large", Arc::new(LargeStringArray::from(vec!["x", "y", "z"]))),
        ("category", Arc::new(dictionary)),
        ("list", Arc::new(list)),
        ("bytes", Arc::new(BinaryArray::from(vec![&b"\xff"[..], b"", b"a"]))),
        ("duration", Arc::new(DurationSecondArray::from(vec![1, 2, 3]))),
    ]
}

fn file(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// Copies a file in chunks, with all columns kept.
fn copied(bytes: Vec<u8>, format: Format, limit: usize) -> (Vec<u8>, Vec<Warning>) {
    let options = ReadOptions::new().others(ReadAs::Drop).keep();
    let mut reader = ChunkReader::open(&Source::bytes("t.parquet", bytes), &options).unwrap();
    let mut writer = TableWriter::new("out", Vec::new(), format).unwrap();
    let mut warnings = Vec::new();
    loop {
        let mut table = reader.read(limit).unwrap();
        if table.n_rows() == 0 {
            break;
        }
        warnings.extend(table.warnings().to_vec());
        writer.write(&Table::from_columns(table.take_kept()).unwrap()).unwrap();
        warnings.extend(writer.take_warnings());
    }
    (writer.finish().unwrap(), warnings)
}

#[test]
fn parquet_to_parquet_keeps_every_type_and_value() {
    let batch = RecordBatch::try_from_iter(columns()).unwrap();
    for limit in [1, 2, usize::MAX] {
        let (written, warnings) = copied(file(&batch), Format::Parquet, limit);
        assert_eq!(warnings, []);
        let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(written)).unwrap();
        let read = reader.build().unwrap().next().unwrap().unwrap();
        for (name, array) in columns() {
            let again = read.column_by_name(name).unwrap();
            assert_eq!(again.data_type(), array.data_type(), "{name}");
            // The keys of the dictionary may differ.
            if name == "category" {
                let words = again.as_any().downcast_ref::<DictionaryArray<Int32Type>>().unwrap();
                let words: Vec<Option<&str>> =
                    words.downcast_dict::<StringArray>().unwrap().into_iter().collect();
                assert_eq!(words, [Some("b"), None, Some("a")]);
            } else {
                assert_eq!(format!("{again:?}"), format!("{array:?}"), "{name}");
            }
        }
    }
}

#[test]
fn parquet_to_text() {
    let batch = RecordBatch::try_from_iter(columns()).unwrap();
    let (written, warnings) = copied(file(&batch), Format::Csv, usize::MAX);
    assert_eq!(
        String::from_utf8(written).unwrap(),
        "int,unsigned,single,double,decimal,day,local,moment,time,truth,text,large,category\n\
         9223372036854775807,18446744073709551615,0.1,0.1,1.50,2024-05-01,\
         1970-01-01T00:00:01.500,2024-05-01T12:51:30.000001Z,01:01:01,true,NA,x,b\n\
         ,0,,NaN,,,,,00:00:00,,,y,\n\
         9007199254740993,1,-2,1e300,-0.07,1969-12-31,1970-01-01T00:00:00,1970-01-01T00:00:00Z,\
         00:00:00.000001,false,\" a,b \",z,a\n"
    );
    // Each warning comes once, however many chunks there are.
    let (_, in_chunks) = copied(file(&batch), Format::Csv, 1);
    assert_eq!(in_chunks, warnings);
    let left_out: Vec<&str> = warnings
        .iter()
        .map(|warning| match warning {
            Warning::NoTextForm { column, .. } => column.as_str(),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(left_out, ["list", "bytes", "duration"]);
    assert!(warnings[0].to_string().ends_with("is left out; write Parquet to keep it"));
}

/// More rows than a batch.
#[test]
fn batches_are_concatenated() {
    const ROWS: usize = 20_000;
    let words: DictionaryArray<Int32Type> =
        (0..ROWS).map(|row| Some(if row % 3 == 0 { "a" } else { "b" })).collect();
    let numbers = Int64Array::from_iter_values((0..ROWS).map(|row| row as i64));
    let columns: Vec<(&str, ArrayRef)> =
        vec![("word", Arc::new(words)), ("number", Arc::new(numbers))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    for limit in [3000, 12_345, usize::MAX] {
        let (written, _) = copied(file(&batch), Format::Parquet, limit);
        let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(written)).unwrap();
        let read = reader.with_batch_size(ROWS).build().unwrap().next().unwrap().unwrap();
        assert_eq!(read.num_rows(), ROWS);
        assert_eq!(read.column_by_name("number"), batch.column_by_name("number"));
    }
    let options = ReadOptions::new().others(ReadAs::Drop).keep();
    let table =
        ternwood_table::read_table(&Source::bytes("t.parquet", file(&batch)), &options).unwrap();
    assert_eq!(table.n_rows(), ROWS);
}

#[test]
fn rows_without_a_class_are_dropped_from_columns_to_copy_too() {
    let batch = RecordBatch::try_from_iter(columns()).unwrap();
    let options = ReadOptions::new().keep();
    let source = Source::bytes("t.parquet", file(&batch));
    let mut table = ternwood_table::read_table(&source, &options).unwrap();
    table.drop_rows_without_class("truth").unwrap();
    assert_eq!([0, 1].map(|row| table.place(row).row), [Some(1), Some(3)]);
    let mut writer = TableWriter::new("out", Vec::new(), Format::Parquet).unwrap();
    writer.write(&Table::from_columns(table.take_kept()).unwrap()).unwrap();
    let written = Bytes::from(writer.finish().unwrap());
    let reader = ParquetRecordBatchReaderBuilder::try_new(written).unwrap();
    let read = reader.build().unwrap().next().unwrap().unwrap();
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX, 9_007_199_254_740_993]));
    assert_eq!(read.column_by_name("int"), Some(&numbers));
    assert!(read.columns().iter().all(|column| column.len() == 2));
}
