//! Bytes to tables to data sets.

use std::sync::Arc;
use ternwood::Dataset;
use ternwood::dataset::notation::{DecimalMark, Marks};
use ternwood_table::{
    ChunkReader, Column, EncodeOptions, MissingPolicy, ReadAs, ReadOptions, Result, Source, Table,
    Unreadable, Values, encode, read_table,
};

/// The parquet crate panics at some damaged files, and its reader makes errors of that. libFuzzer's
/// own hook would end the process before; without it, a panic that nobody catches still does.
pub fn let_readers_catch_panics() {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
}

/// Reads bytes as a table in several ways, all of which must agree, and makes data of it.
///
/// The first byte chooses among the options of a reader; the name tells the format.
pub fn check(name: &str, data: &[u8]) {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let options = options(choice);
    let source = Source::bytes(name, bytes);
    let whole = read_table(&source, &options);
    match choice / 64 {
        // One of these at a time: reading is what takes the time.
        0 => {
            let stream = Source::stream(name, std::io::Cursor::new(bytes.to_vec()));
            assert_same(&whole, &read_table(&stream, &options));
        }
        1 => {
            let texts = options.others(ReadAs::Nominal);
            let whole = read_table(&source, &texts);
            match (&whole, &in_chunks(&source, &texts, 1 + usize::from(choice % 5))) {
                (Ok(whole), Ok(chunks)) => assert_chunks_join(whole, chunks),
                (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
                (one, other) => panic!("{one:?}\n{other:?}"),
            }
        }
        2 => assert_same(&whole, &read_table(&source, &options.threads(2))),
        _ => {
            if let Ok(table) = whole {
                make_data(&table, choice);
            }
        }
    }
}

fn options(choice: u8) -> ReadOptions {
    let options = ReadOptions::new();
    let options = match choice % 8 {
        1 => options.others(ReadAs::Nominal),
        2 => options.keep(),
        3 => options.delimiter(b';'),
        4 => options.others(ReadAs::Number).unreadable(Unreadable::Unknown),
        5 => {
            let decimal = DecimalMark::Comma;
            options.delimiter(b'|').marks(Marks { decimal, thousands: Some('.') })
        }
        _ => options,
    };
    match choice % 3 {
        1 => options.header(true),
        2 => options.header(false),
        _ => options,
    }
}

fn in_chunks(source: &Source, options: &ReadOptions, rows: usize) -> Result<Vec<Table>> {
    let mut reader = ChunkReader::open(source, options)?;
    let mut chunks = Vec::new();
    loop {
        let chunk = reader.read(rows)?;
        assert!(chunk.n_rows() <= rows);
        if chunk.n_rows() == 0 {
            return Ok(chunks);
        }
        chunks.push(chunk);
    }
}

/// A value as text that tells what it is.
fn shown(column: &Column, row: usize) -> String {
    match column.values() {
        Values::Numeric(values) => format!("{:x}", values[row].to_bits()),
        Values::Nominal(nominal) => format!("{:?}", nominal.text(row)),
    }
}

fn assert_same(one: &Result<Table>, other: &Result<Table>) {
    match (one, other) {
        (Ok(one), Ok(other)) => assert_eq!(format!("{one:?}"), format!("{other:?}")),
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
        (one, other) => panic!("{one:?}\n{other:?}"),
    }
}

fn assert_chunks_join(whole: &Table, chunks: &[Table]) {
    assert_eq!(whole.n_rows(), chunks.iter().map(Table::n_rows).sum::<usize>());
    let mut row = 0;
    for chunk in chunks {
        assert_eq!(whole.column_names(), chunk.column_names());
        for of_chunk in 0..chunk.n_rows() {
            assert_eq!(whole.place(row), chunk.place(of_chunk));
            for (one, other) in whole.columns().iter().zip(chunk.columns()) {
                assert_eq!(shown(one, row), shown(other, of_chunk));
            }
            row += 1;
        }
    }
}

/// Learns an encoding from the table and applies it to the table again.
fn make_data(table: &Table, choice: u8) {
    let Some(target) = table.columns().get(usize::from(choice) % table.n_columns().max(1)) else {
        return;
    };
    let (target, mut table) = (target.name().to_owned(), table.clone());
    if choice % 2 == 0 && table.drop_rows_without_class(&target).is_err() {
        return;
    }
    use MissingPolicy::{Error, Keep, Median, Mode};
    let missing = [Keep, Error, Median, Mode][usize::from(choice / 16) % 4];
    if let Ok(encoded) = encode(table.clone(), &target, EncodeOptions::missing(missing)) {
        let schema = Arc::clone(encoded.dataset.schema());
        let again = table.into_dataset(schema).expect("the table it was learnt from").dataset;
        assert_eq!(again.labels(), encoded.dataset.labels());
        assert_eq!(again.schema(), encoded.dataset.schema());
        for column in 0..again.n_features() {
            // A missing value is not equal to itself.
            let bits = |data: &Dataset| -> Vec<u64> {
                data.columns().column(column).iter().map(|value| value.to_bits()).collect()
            };
            assert_eq!(bits(&again), bits(&encoded.dataset));
        }
    }
}
