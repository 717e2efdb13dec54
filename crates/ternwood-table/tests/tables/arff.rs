//! ARFF.

use crate::properties::assert_same;
use crate::{categories, error, gzipped, numbers, read, read_with, texts};
use ternwood_table::{ChunkReader, ErrorKind, ReadAs, ReadOptions, Source};

const WEATHER: &str = "% A comment

@RELATION 'the weather'
@attribute outlook {sunny, 'over cast',rainy} % three of them
@ATTRIBUTE \"temp (F)\" REAL
@Attribute humid\tinteger
@attribute note string
@data
sunny,85,85,'all good'

% another comment
'over cast' , 8.3e1 , ? , \"it's\"
?,-64,0,?
";

#[test]
fn an_ordinary_file() {
    let table = read("w.arff", WEATHER).unwrap();
    assert_eq!(table.column_names(), ["outlook", "temp (F)", "humid", "note"]);
    assert_eq!(texts(&table, "outlook"), ["sunny", "over cast", "-"]);
    assert_eq!(categories(&table, "outlook"), ["sunny", "over cast", "rainy"]);
    assert_eq!(numbers(&table, "temp (F)"), [85.0, 83.0, -64.0]);
    assert_eq!(numbers(&table, "humid")[0], 85.0);
    assert!(numbers(&table, "humid")[1].is_nan());
    assert_eq!(texts(&table, "note"), ["all good", "it's", "-"]);
    assert_eq!(table.missing_cells(), 3);
    let lines: Vec<_> = (0..3).map(|row| table.place(row).line).collect();
    assert_eq!(lines, [Some(9), Some(12), Some(13)]);
}

#[test]
fn line_endings_byte_order_marks_and_gzip() {
    let plain = read("w.arff", WEATHER).unwrap();
    let crlf = WEATHER.replace('\n', "\r\n");
    let marked = format!("\u{feff}{WEATHER}");
    for bytes in [crlf.as_bytes(), marked.as_bytes(), &gzipped(WEATHER.as_bytes())] {
        assert_same(&read("w.arff", bytes).unwrap(), &plain);
    }
    let unfinished = WEATHER.trim_end();
    assert_same(&read("w.arff", unfinished).unwrap(), &plain);
}

#[test]
fn sparse_rows_omit_zeros_and_first_categories() {
    let text = "@relation s\n@attribute a numeric\n@attribute b {x,'y z'}\n\
                @attribute c numeric\n@attribute d string\n@data\n\
                {0 5, 1 'y z' , 2 ?}\n{ }\n{3 word,}  % note\n{2 7}\n1,x,2,?\n";
    let table = read("s.arff", text).unwrap();
    assert_eq!(numbers(&table, "a"), [5.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(texts(&table, "b"), ["y z", "x", "x", "x", "x"]);
    assert!(numbers(&table, "c")[0].is_nan());
    assert_eq!(numbers(&table, "c")[1..], [0.0, 0.0, 7.0, 2.0]);
    assert_eq!(texts(&table, "d"), ["-", "-", "word", "-", "-"]);
}

#[test]
fn dialects() {
    // KEEL's ranges and extra lines, no space before a brace, white space between fields.
    let keel = "@relation k\n@attribute a real [0.0, 1.0]\n@attribute b integer[0,9]\n\
                @attribute c{0,1}\n@inputs a, b\n@output c\n@data\n0.5, 3, 1\n0.25 4\t0\n";
    let table = read("k.arff", keel).unwrap();
    assert_eq!(numbers(&table, "a"), [0.5, 0.25]);
    assert_eq!(numbers(&table, "b"), [3.0, 4.0]);
    assert_eq!(texts(&table, "c"), ["1", "0"]);
    // OpenML's categories with quotes within quotes.
    let quoted = "@relation q\n@attribute c {'\\'D\\'','\\'H\\''}\n@data\n'\\'H\\''\n";
    assert_eq!(texts(&read("q.arff", quoted).unwrap(), "c"), ["'H'"]);
    let dates = "@relation d\n@attribute t date \"yyyy-MM-dd\"\n@attribute u date 'dd MMM yy'\n\
                 @data\n1970-01-02,'01 Jan 70'\n?,?\n";
    let table = read("d.arff", dates).unwrap();
    assert_eq!(numbers(&table, "t")[0], 1.0);
    assert_eq!(table.column("u").unwrap().text_of(0).unwrap(), "1970-01-01");
    let empty_field = "@relation e\n@attribute a real\n@attribute b real\n@data\n,2\n";
    assert!(numbers(&read("e.arff", empty_field).unwrap(), "a")[0].is_nan());
}

#[test]
fn options_override_the_declared_types() {
    let options = ReadOptions::new()
        .column("humid", ReadAs::Nominal)
        .column("temp (F)", ReadAs::Nominal)
        .drop(["note"]);
    let table = read_with("w.arff", WEATHER, &options).unwrap();
    assert_eq!(table.column_names(), ["outlook", "temp (F)", "humid"]);
    assert_eq!(texts(&table, "humid"), ["85", "-", "0"]);
    assert_eq!(texts(&table, "temp (F)"), ["85", "8.3e1", "-64"]);
    let wrong = read_with("w.arff", WEATHER, &ReadOptions::new().drop(["notes"])).unwrap_err();
    assert!(wrong.to_string().contains("did you mean 'note'?"), "{wrong}");
}

#[test]
fn chunks_add_up_to_the_table() {
    let source = Source::bytes("w.arff", WEATHER.as_bytes());
    let mut reader = ChunkReader::open(&source, &ReadOptions::new()).unwrap();
    let (first, second, end) =
        (reader.read(2).unwrap(), reader.read(2).unwrap(), reader.read(2).unwrap());
    assert_eq!((first.n_rows(), second.n_rows(), end.n_rows()), (2, 1, 0));
    assert_eq!(numbers(&second, "temp (F)"), [-64.0]);
    assert_eq!(categories(&second, "outlook"), ["sunny", "over cast", "rainy"]);
    assert_eq!(second.place(0).line, Some(13));
    assert_eq!(end.n_columns(), 4);
}

/// A file with two columns, whose data start on line 5.
fn with_rows(rows: &str) -> String {
    format!("@relation r\n@attribute a numeric\n@attribute b {{x,y}}\n@data\n{rows}")
}

#[test]
fn row_errors_name_their_place() {
    for (rows, message) in [
        ("1,x\nabc,y\n", "t.arff, line 6, column 'a': 'abc' is not a number"),
        ("1,z\n", "t.arff, line 5, column 'b': unknown category 'z'; known are 'x', 'y'"),
        ("1\n", "t.arff, line 5: 1 field, but the table has 2 columns"),
        ("1,x,3,4\n", "t.arff, line 5: 4 fields, but the table has 2 columns"),
        ("1,'x\n", "t.arff, line 5: a quote is not closed"),
        ("1,'x'y\n", "t.arff, line 5: text after a closing quote"),
        ("1,x,{0.5}\n", "t.arff, line 5: instance weights"),
        ("{0 1\n", "t.arff, line 5: a sparse row has no closing brace"),
        ("{1 x, 0 1}\n", "t.arff, line 5: column numbers of a sparse row must ascend"),
        ("{7 1}\n", "t.arff, line 5: column numbers of a sparse row must ascend and exist"),
        ("{x 1}\n", "t.arff, line 5: expected the number of a column"),
        ("{0 1} x\n", "t.arff, line 5: text after the closing brace"),
    ] {
        let found = error("t.arff", with_rows(rows));
        assert!(found.starts_with(message), "{rows}: {found}");
    }
    let latin = [with_rows("1,").as_bytes(), b"caf\xe9\n"].concat();
    assert!(matches!(read("t.arff", latin).unwrap_err().kind(), ErrorKind::NotUtf8 { .. }));
}

#[test]
fn header_errors_name_their_place() {
    for (text, message) in [
        ("", "t.arff, line 0: the file ends before @data"),
        ("@relation r\n@data\n", "t.arff: the table has no columns"),
        ("@relation r\nhello\n", "t.arff, line 2: expected @attribute or @data, found 'hello'"),
        ("@attribute a\n@data\n", "t.arff, line 1, column 'a': @attribute without a type"),
        ("@attribute\n@data\n", "t.arff, line 1: @attribute without a name"),
        ("@attribute a {x,y\n@data\n", "t.arff, line 1, column 'a': the list of categories has"),
        (
            "@attribute a nummeric\n",
            "t.arff, line 1, column 'a': unknown attribute type 'nummeric'",
        ),
        ("@attribute a relational\n", "t.arff, line 1, column 'a': relational attributes"),
        ("@attribute a real\n@attribute a real\n@data\n", "t.arff, line 3: the column name 'a'"),
    ] {
        let found = error("t.arff", text);
        assert!(found.starts_with(message), "{text}: {found}");
    }
}
