//! Schema files: what `look` writes, `fit` and `evaluate` understand.

use crate::Here;

/// A table with a column of every kind.
fn every_kind() -> String {
    let mut text = String::from("id;n;price;share;day;time;member;ward;size;notes;same;class\n");
    for row in 0..60 {
        let (day, hour, cents) = (1 + row % 28, row % 24, row % 100);
        text += &format!(
            "{};{};{}.{:03},{cents:02};{},5 %;{day:02}.{:02}.2023;2023-01-{day:02} {hour:02}:30;\
             {};{};{};;1;{}\n",
            1000 + row,
            row * 7 % 31,
            1 + row % 9,
            row * 37 % 1000,
            row * 13 % 50,
            1 + row % 12,
            ["True", "False"][row % 2],
            ["north", "south", "east"][row * 5 % 3],
            ["S", "M", "L"][row * 11 % 3],
            ["no", "yes"][usize::from(row * 7 % 31 > 14 && row % 5 > 0)],
        );
    }
    text
}

const OPTIONS: &str = "--decimal , --thousands . --ordered size=S<M<L";

#[test]
fn what_look_writes_gives_the_same_model() {
    let here = Here::new();
    here.write("kinds.csv", &every_kind());
    here.ok(&format!("fit kinds.csv -t class {OPTIONS} -q -o plain.json"));
    here.ok(&format!("look kinds.csv -t class {OPTIONS} --write-schema schema.json"));
    // The schema has the target and all that the options say.
    here.ok("fit kinds.csv --schema schema.json -q -o again.json");
    assert_eq!(here.read("again.json"), here.read("plain.json"));
    for kind in ["number", "percent", "date", "time", "boolean", "categories", "ordered", "empty"] {
        assert!(here.read("schema.json").contains(&format!("\"kind\":\"{kind}\"")), "{kind}");
    }
    // Without --target the class is a column like others.
    here.ok(&format!("look kinds.csv {OPTIONS} --write-schema open.json"));
    here.ok("fit kinds.csv -t class --schema open.json -q -o open-model.json");
    assert_eq!(here.read("open-model.json"), here.read("plain.json"));
    // A schema that is looked at again stays the same.
    here.ok("look kinds.csv --schema schema.json --write-schema copy.json");
    assert_eq!(here.read("copy.json"), here.read("schema.json"));
}

#[test]
fn so_it_does_for_other_files() {
    let here = Here::new();
    let mut arff = String::from(
        "@relation r\n@attribute day date yyyy-MM-dd\n@attribute at date\n@attribute x real\n\
         @attribute ward {south,north}\n@attribute flag {TRUE,FALSE}\n@attribute note string\n\
         @attribute class {2,1}\n@data\n",
    );
    for row in 0..40 {
        arff += &format!(
            "2020-01-{:02},2020-01-01T{:02}:15:00,{},{},{},'note {row}',{}\n",
            1 + row % 28,
            row % 24,
            row * 7 % 11,
            ["north", "south"][row % 2],
            ["TRUE", "FALSE"][row / 3 % 2],
            1 + usize::from(row * 7 % 11 > 4),
        );
    }
    here.write("typed.arff", &arff);
    for (data, target) in [
        ("typed.arff", "class"),
        ("typed.arff", "flag"),
        ("visits.csv", "ill"),
        ("visits.csv", "ward"),
    ] {
        here.ok(&format!("fit {data} -t {target} -q --force -o plain.json"));
        here.ok(&format!("look {data} -t {target} --force --write-schema s.json"));
        here.ok(&format!("fit {data} --schema s.json -q --force -o again.json"));
        assert_eq!(here.read("again.json"), here.read("plain.json"), "{data} {target}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn so_it_does_for_parquet() {
    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Float64Array, RecordBatch, StringArray,
        TimestampSecondArray,
    };
    use parquet::arrow::ArrowWriter;
    use std::fs::File;
    use std::sync::Arc;
    const ROWS: i32 = 50;
    let here = Here::new();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("x", Arc::new(Float64Array::from_iter_values((0..ROWS).map(|i| f64::from(i * 7 % 11))))),
        ("day", Arc::new(Date32Array::from_iter_values((0..ROWS).map(|i| i * 3 % 40)))),
        (
            "at",
            Arc::new(TimestampSecondArray::from_iter_values(
                (0..ROWS).map(|i| i64::from(i) * 4000),
            )),
        ),
        ("flag", Arc::new(BooleanArray::from_iter((0..ROWS).map(|i| Some(i % 3 == 0))))),
        (
            "share",
            Arc::new(StringArray::from_iter_values((0..ROWS).map(|i| format!("{}%", i % 13)))),
        ),
        ("class", Arc::new(BooleanArray::from_iter((0..ROWS).map(|i| Some(i * 7 % 11 > 4))))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(here.path("t.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    here.ok("fit t.parquet -t class -q -o plain.json");
    for (name, options) in [("closed.json", "-t class"), ("open.json", "")] {
        here.ok(&format!("look t.parquet {options} --write-schema {name}"));
        here.ok(&format!("fit t.parquet -t class --schema {name} -q --force -o again.json"));
        assert_eq!(here.read("again.json"), here.read("plain.json"), "{}", here.read(name));
    }
}

#[test]
fn options_win_over_the_file() {
    let here = Here::new();
    here.write(
        "s.json",
        r#"{"ternwood_schema": 1, "target": "smoker", "columns": [
            {"name": "age", "kind": "categories"}, {"name": "glucose", "use": false}]}"#,
    );
    let by_file = here.ok("look patients.csv --schema s.json");
    let line = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().take(4).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line(&by_file, "age"), "age categories you feature");
    assert_eq!(line(&by_file, "glucose"), "glucose number data left");
    assert_eq!(line(&by_file, "smoker"), "smoker categories data target");
    let by_both = here.ok("look patients.csv --schema s.json -t ill --number age,glucose");
    assert_eq!(line(&by_both, "age"), "age number you feature");
    assert_eq!(line(&by_both, "glucose"), "glucose number you feature");
    assert_eq!(line(&by_both, "smoker"), "smoker categories data feature");
    here.ok("fit patients.csv --schema s.json -q -o by-file.json");
    assert!(here.read("by-file.json").contains(r#""target":"smoker""#));
    here.ok("evaluate patients.csv --schema s.json --cv 2");
}

#[test]
fn a_schema_without_a_target_needs_one() {
    let here = Here::new();
    here.write("s.json", r#"{"ternwood_schema": 1}"#);
    let complaint = here.fails(2, "fit patients.csv --schema s.json -o m.json");
    assert!(complaint.contains("s.json names no target; say which column"), "{complaint}");
    let complaint = here.fails(2, "evaluate patients.csv --cv 2");
    assert!(complaint.contains("say which column has the classes: --target COL"), "{complaint}");
}

#[test]
fn a_schema_on_standard_output_stands_alone() {
    let here = Here::new();
    let written = here.ok("look patients.csv -t ill --write-schema -");
    assert!(written.starts_with("{\n  \"ternwood_schema\": 1,\n"), "{written}");
    here.write("s.json", &written);
    here.ok("fit patients.csv --schema s.json -q -o m.json");
}

#[test]
fn a_pipe_is_looked_at_like_a_file() {
    use std::process::Stdio;
    let here = Here::new();
    here.write("kinds.csv", &every_kind());
    let file = std::fs::File::open(here.path("kinds.csv")).unwrap();
    let piped = here.command("look - -t class").stdin(Stdio::from(file)).output().unwrap();
    let piped = String::from_utf8(piped.stdout).unwrap();
    let from_file = here.ok("look kinds.csv -t class");
    assert!(from_file.contains("\nday ") && from_file.contains("text separated by semicolons"));
    assert_eq!(
        piped.replace("standard input", "kinds.csv").lines().next(),
        from_file.lines().next()
    );
    let columns =
        |text: &str| -> Vec<String> { text.lines().skip(2).take(13).map(str::to_owned).collect() };
    assert_eq!(columns(&piped), columns(&from_file));
}
