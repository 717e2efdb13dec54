//! CSV and TSV.

use crate::{categories, error, gzipped, numbers, read, read_with, texts};
use ternwood::dataset::notation::Marks;
use ternwood_table::{
    CategoryOrigin, ChunkReader, DecidedBy, ErrorKind, ReadAs, ReadOptions, Remedy, Source,
    Suggestion, Table, Values, Warning,
};

const PEOPLE: &str = "name,age,\"town, country\",code\n\
                      Ann,31,\"Rome, Italy\",007\n\
                      \"Bob \"\"the\"\"\",?,Oslo,10\n\
                      \n\
                      Eve,4.5e1,\"two\nlines\",9\n\
                      Dan, 7 ,NA,\n";

#[test]
fn an_ordinary_file() {
    let table = read("p.csv", PEOPLE).unwrap();
    assert_eq!(table.column_names(), ["name", "age", "town, country", "code"]);
    assert_eq!(texts(&table, "name"), ["Ann", "Bob \"the\"", "Eve", "Dan"]);
    let age = numbers(&table, "age");
    assert_eq!((age[0], age[2], age[3]), (31.0, 45.0, 7.0));
    assert!(age[1].is_nan());
    assert_eq!(texts(&table, "town, country"), ["Rome, Italy", "Oslo", "two\nlines", "-"]);
    assert_eq!(numbers(&table, "code")[..3], [7.0, 10.0, 9.0]);
    assert_eq!(table.missing_cells(), 3);
    let lines: Vec<_> = (0..4).map(|row| table.place(row).line.unwrap()).collect();
    assert_eq!(lines, [2, 3, 5, 7]);
}

#[test]
fn line_endings_byte_order_marks_and_gzip() {
    let plain = read("p.csv", PEOPLE).unwrap();
    // A line break within quotes is data.
    let crlf = PEOPLE.replace('\n', "\r\n").replace("two\r\n", "two\n");
    let marked = format!("\u{feff}{PEOPLE}");
    for bytes in [
        crlf.as_bytes(),
        crlf.trim_end().as_bytes(),
        marked.as_bytes(),
        PEOPLE.trim_end().as_bytes(),
        &gzipped(PEOPLE.as_bytes()),
    ] {
        let table = read("p.csv", bytes).unwrap();
        assert_eq!(format!("{table:?}"), format!("{plain:?}"));
    }
}

#[test]
fn columns_can_be_declared_and_dropped() {
    let options = ReadOptions::new().nominal(["code"]).drop(["name"]);
    let table = read_with("p.csv", PEOPLE, &options).unwrap();
    assert_eq!(table.column_names(), ["age", "town, country", "code"]);
    assert_eq!(texts(&table, "code"), ["007", "10", "9", "-"]);
    assert_eq!(categories(&table, "code"), ["007", "9", "10"]);
    let Values::Nominal(code) = table.column("code").unwrap().values() else { panic!() };
    assert_eq!(code.origin(), CategoryOrigin::Found);
    assert_eq!(table.column("code").unwrap().decided_by(), DecidedBy::User);
    assert_eq!(table.column("age").unwrap().decided_by(), DecidedBy::Values);
}

#[test]
fn kept_columns_are_as_in_the_file() {
    let options = ReadOptions::new().drop(["name"]).keep();
    let mut table = read_with("p.csv", PEOPLE, &options).unwrap();
    assert_eq!(table.column_names(), ["age", "town, country", "code"]);
    assert_eq!(numbers(&table, "age")[3], 7.0);
    let kept = Table::from_columns(table.take_kept()).unwrap();
    assert_eq!(kept.column_names(), ["name", "age", "town, country", "code"]);
    assert_eq!(texts(&kept, "age"), ["31", "?", "4.5e1", " 7 "]);
    assert_eq!(texts(&kept, "code"), ["007", "10", "9", ""]);
}

#[test]
fn types_are_inferred_from_the_whole_file() {
    let mut text = "a,b\n".to_owned();
    for row in 0..100_000 {
        text.push_str(&format!("{row},{row}\n"));
    }
    text.push_str("x,1\n");
    let table = read("t.csv", &text).unwrap();
    assert_eq!(texts(&table, "a")[..2], ["0", "1"]);
    assert_eq!(numbers(&table, "b").len(), 100_001);
    let [Warning::MostlyNumeric { place, value, numbers, words }] = table.warnings() else {
        panic!("{:?}", table.warnings());
    };
    assert_eq!((value.as_str(), *numbers, *words), ("x", 100_000, 1));
    assert_eq!(place.to_string(), "t.csv, line 100002, column 'a'");
}

#[test]
fn tsv_and_other_delimiters() {
    let tsv = read("t.tsv", "a,b\tc\n1,5\t2\n").unwrap();
    assert_eq!(tsv.column_names(), ["a,b", "c"]);
    assert_eq!(read("t.csv", "a;b\n1;2\n").unwrap().column_names(), ["a", "b"]);
    let colons = ReadOptions::new().delimiter(b':').header(false);
    let table = read_with("passwd", "root:0\nann:1\n", &colons).unwrap();
    assert_eq!(texts(&table, "x0"), ["root", "ann"]);
    let quote = ReadOptions::new().delimiter(b'"');
    assert!(read_with("t.csv", "a,b\n", &quote).is_err());
}

#[test]
fn the_error_for_a_ragged_row_names_its_line() {
    for crlf in [false, true] {
        let text = "a,b\n1,2\n\n\n3,4\n5,6,7\n";
        let text = if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        let message = error("r.csv", text);
        assert!(message.starts_with("r.csv, line 6: 3 fields, but the table has 2"), "{message}");
    }
}

#[test]
fn the_error_for_an_unclosed_quote_names_its_line() {
    for text in ["a,b\n1,2\n\n1,\"2\n3,4\n", "a,b\r\n1,2\r\n\r\n1,\"2\r\n3,4"] {
        let message = error("r.csv", text);
        assert!(message.starts_with("r.csv, line 4: a quote is opened"), "{message}");
    }
    let message = error("r.csv", "a,b,c\n1,\"2\n3,4,5\n5\",6,7,8\n");
    assert!(
        message.contains("line 2") && message.contains("quote that is not closed"),
        "{message}"
    );
}

#[test]
fn other_errors_name_their_place() {
    let numeric = ReadOptions::new().column("b", ReadAs::Number);
    let found = read_with("t.csv", "a,b\n1,2\n3,x\n", &numeric).unwrap_err().to_string();
    assert!(found.starts_with("t.csv, line 3, column 'b': 'x' is not a number"), "{found}");
    let latin = read("t.csv", b"a,b\n1,caf\xe9\n").unwrap_err().to_string();
    assert!(latin.starts_with("t.csv, line 2, column 'b': the text is not UTF-8"), "{latin}");
    assert!(error("t.csv", "a,b,a\n1,2,3\n").contains("the column name 'a' occurs twice"));
    assert!(error("t.csv", "").contains("no rows"));
    assert_eq!(read("t.csv", "a,b\n").unwrap().n_rows(), 0);
    let cut = &gzipped(PEOPLE.as_bytes())[..30];
    assert!(matches!(read("t.csv", cut).unwrap_err().kind(), ErrorKind::Format { .. }));
}

#[test]
fn missing_spellings_can_be_chosen() {
    let options = ReadOptions::new().missing_spellings(["-999", ""]);
    let table = read_with("t.csv", "a,b\n-999,NA\n1,\n", &options).unwrap();
    assert!(numbers(&table, "a")[0].is_nan());
    assert_eq!(texts(&table, "b"), ["NA", "-"]);
}

#[test]
fn chunks_add_up_to_the_table() {
    let whole = read("p.csv", PEOPLE).unwrap();
    let source = Source::bytes("p.csv", PEOPLE.as_bytes());
    for limit in 1..6 {
        let options = ReadOptions::new().others(ReadAs::Nominal);
        let mut reader = ChunkReader::open(&source, &options).unwrap();
        let mut names = Vec::new();
        let mut lines = Vec::new();
        loop {
            let chunk = reader.read(limit).unwrap();
            if chunk.n_rows() == 0 {
                break;
            }
            assert!(chunk.n_rows() <= limit);
            names.extend(texts(&chunk, "name"));
            lines.extend((0..chunk.n_rows()).map(|row| chunk.place(row)));
        }
        assert_eq!(names, texts(&whole, "name"));
        assert_eq!(lines, (0..4).map(|row| whole.place(row)).collect::<Vec<_>>());
    }
}

#[test]
fn semicolons_allow_decimal_commas() {
    let table = read("t.csv", "a;b;c\n1,5;x;1\n-2;y;2\n0,25;z,9;3\n").unwrap();
    assert_eq!(numbers(&table, "a"), [1.5, -2.0, 0.25]);
    assert_eq!(texts(&table, "b"), ["x", "y", "z,9"]);
    assert_eq!(numbers(&table, "c"), [1.0, 2.0, 3.0]);
    let [warning] = table.warnings() else { panic!("{:?}", table.warnings()) };
    let message = warning.to_string();
    assert!(message.starts_with("read with a decimal comma, 1,5 as 1.5: 'a'; "), "{message}");
    // The same for later tables, whatever their delimiter.
    let notation = table.column("a").unwrap().notation().clone();
    let options = ReadOptions::new().column("a", ReadAs::Written(notation)).others(ReadAs::Drop);
    let table = read_with("t.csv", "a\tb\n1,5\tx\n", &options).unwrap();
    assert_eq!(numbers(&table, "a"), [1.5]);
    // Unless they are said to have other marks.
    let table = read_with("t.csv", "a\tb\n1.5\tx\n", &options.marks(Marks::default())).unwrap();
    assert_eq!(numbers(&table, "a"), [1.5]);
}

#[test]
fn a_mark_cannot_mean_two_things() {
    let point = ReadOptions::new().marks(Marks { thousands: Some('.'), ..Marks::default() });
    let error = read_with("t.csv", "a;b\n1.234;2\n", &point).unwrap_err();
    let message = error.to_string();
    let general = "; for numbers like 1.234,5 ask for a decimal comma and '.' between thousands";
    assert!(message.contains("'.'") && message.ends_with(general), "{message}");
    let message = error.in_words(&|remedy| match remedy {
        Remedy::Marks(Marks { thousands: Some('.'), .. }) => Some("--marks".to_owned()),
        _ => None,
    });
    assert!(message.ends_with("; for numbers like 1.234,5 say --marks"), "{message}");
}

#[test]
fn mixed_decimal_marks_in_a_column_give_a_warning() {
    let table = read("t.csv", "a;b\n1.5;1\n2,5;2\n").unwrap();
    let [warning] = table.warnings() else { panic!("{:?}", table.warnings()) };
    let message = warning.to_string();
    assert!(message.starts_with("t.csv, line 2, column 'a': '1.5'"), "{message}");
    assert!(message.contains("write all of them in one way"), "{message}");
}

#[test]
fn only_semicolons_allow_decimal_commas() {
    for text in ["a,b\n\"1,5\",1\n\"2,5\",2\n", "a\tb\n1,500\t1\n2\t2\n"] {
        let table = read("t.csv", text).unwrap();
        assert_eq!(table.column("a").unwrap().values().kind(), "nominal");
        let [Warning::Spelling { value, suggestion: Suggestion::Marks(_), .. }] = table.warnings()
        else {
            panic!("{:?}", table.warnings())
        };
        assert!(value.starts_with("1,5"), "{value}");
    }
}

#[test]
fn the_error_for_a_damaged_gzip_file_has_a_remedy() {
    let whole = gzipped(&b"a,b\n1,2\n".repeat(1000));
    let cut = error("t.csv.gz", &whole[..whole.len() / 2]);
    assert_eq!(
        cut,
        "t.csv.gz: the compressed file ends too early; fetch or copy it again; `gzip -t` tells \
         whether it is whole"
    );
    let mut damaged = whole;
    // The last eight bytes are the checksum and the length.
    let checksum = damaged.len() - 8;
    damaged[checksum..].iter_mut().for_each(|byte| *byte ^= 0x55);
    let message = error("t.csv.gz", damaged);
    assert!(message.starts_with("t.csv.gz: the compressed file is damaged ("), "{message}");
}

#[test]
fn one_column_is_singular_in_messages() {
    let message = error("t.csv", "a\n1\n2,3\n4\n");
    assert!(message.contains("line 3: 2 fields, but the table has 1 column;"), "{message}");
}

#[test]
fn an_empty_field_after_the_last_column_is_ignored() {
    for text in ["a,b,\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4\n", "a,b,\n1,2\n3,4, \n"] {
        let table = read("t.csv", text).unwrap();
        assert_eq!(table.column_names(), ["a", "b"], "{text}");
        assert_eq!(numbers(&table, "b"), [2.0, 4.0]);
    }
    let message = error("t.csv", "a,b,\n1,2,\n3,4,5\n");
    assert!(message.contains("line 3: 3 fields") && message.contains("no name"), "{message}");
    assert!(error("t.csv", "a,b\n1,2,,\n").contains("4 fields"));
}

/// A file of several blocks.
fn large() -> String {
    let mut text = "n,date,share,word,late\n".to_owned();
    for row in 0..60_000 {
        let day = 1 + row % 28;
        let late = if row == 59_000 { "soon" } else { "1" };
        text += &format!("{row}.5,2020-02-{day:02},{}%,\"w{}\",{late}\n", row % 100, row % 7);
    }
    text
}

#[test]
fn blocks_on_several_threads_give_the_same_table() {
    let text = large();
    assert!(text.len() > 1 << 20, "one block");
    let one = read("t.csv", &text).unwrap();
    assert_eq!(one.column("date").unwrap().text_of(27).unwrap(), "2020-02-28");
    assert_eq!(numbers(&one, "share")[99], 99.0);
    assert_eq!(texts(&one, "late")[59_000], "soon", "misjudged at first");
    assert_eq!(one.place(59_999).line, Some(60_001));
    for threads in [2, 7] {
        let options = ReadOptions::new().threads(threads);
        assert_eq!(read_with("t.csv", &text, &options).unwrap(), one);
        let bad = text.clone() + "1,2\n" + "1\n";
        let message = read_with("t.csv", bad, &options).unwrap_err().to_string();
        assert!(message.starts_with("t.csv, line 60002: 2 fields"), "{message}");
    }
}
