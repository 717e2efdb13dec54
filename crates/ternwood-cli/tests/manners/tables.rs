//! Odd tables and odd names.

use crate::Here;

const FIT: &str = "fit patients.csv --target ill --drop id --max-depth 2 -q -o model.json";

#[test]
fn explaining_a_row_ignores_errors_in_other_rows() {
    let here = Here::new();
    here.ok(FIT);
    let good = "age,smoker,glucose\n41,never,6.3\n";
    here.write("good.csv", good);
    let expected = here.ok("explain model.json good.csv --row 1");
    let bad = "age,smoker,glucose\nold,pipe,\n,never,5\n41,never,6.3\n1,pipe,x\n";
    here.write("bad.csv", bad);
    let explained = here.ok("explain model.json bad.csv --row 3");
    assert_eq!(explained.split_once('\n').unwrap().1, expected.split_once('\n').unwrap().1);
    let output = here.run("explain model.json bad.csv --row 3,1");
    assert!(output.status.success());
    let warnings = String::from_utf8(output.stderr).unwrap();
    let unread = "bad.csv, line 2, column 'age': 'old' is not a number; the cell counts as unknown";
    assert!(warnings.contains(unread) && warnings.contains("'pipe' (1)"), "{warnings}");
    let complaint = here.fails(1, "explain model.json good.csv --row 2");
    assert!(complaint.contains("there is no row 2; the table has 1 row\n"), "{complaint}");
    let both = here.ok("explain model.json new.csv --row 2,1,2");
    let heads: Vec<&str> = both.lines().filter(|line| line.starts_with("row ")).collect();
    assert_eq!(
        heads,
        ["row 2 (new.csv, line 3)", "row 1 (new.csv, line 2)", "row 2 (new.csv, line 3)"]
    );
}

#[test]
fn line_breaks_in_names_are_escaped() {
    let here = Here::new();
    let mut table = String::from("\"size\nin cm\",kind\n");
    for row in 0..20 {
        table += &format!("{row},\"{}\"\n", if row < 9 { "very\nsmall" } else { "big" });
    }
    here.write("odd.csv", &table);
    let complaint = here.fails(1, "fit odd.csv --target kind -o model.json");
    assert!(complaint.contains("column 'size\\nin cm' counts the rows"), "{complaint}");
    here.write("odd.csv", &table.replace("19,", "19.5,"));
    let fitted = here.ok("fit odd.csv --target kind --zone margin -o model.json");
    assert!(fitted.contains("(big 11, very\\nsmall 9)"), "{fitted}");
    assert!(
        fitted.contains("size\\nin cm 8.5, uncertain between 8.0 and 9.0 (20 rows, 1 within)"),
        "{fitted}"
    );
    let shown = here.ok("show model.json");
    assert!(shown.starts_with("classes of 'kind': big, very\\nsmall\n"), "{shown}");
    let explained = here.ok("explain model.json odd.csv --row 9");
    assert!(explained.contains("node 0: size\\nin cm 8 is"), "{explained}");
    let dot = here.ok("export model.json --to dot");
    assert!(dot.lines().all(|line| line.ends_with([';', '{', '}'])), "{dot}");
    // Output for programs has names unescaped.
    let answers = here.ok("predict model.json odd.csv");
    assert!(answers.contains("\"very\nsmall\","), "{answers}");
}

/// A diagonal border, which takes more leaves than can be read.
fn diagonal() -> String {
    let mut state = 1_u64;
    let mut coordinate = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 100_000
    };
    let mut table = String::from("east,north,colour\n");
    for _ in 0..2_400 {
        let (east, north) = (coordinate(), coordinate());
        let colour = if north > east { "black" } else { "white" };
        table += &format!("{east},{north},{colour}\n");
    }
    table
}

#[test]
fn the_default_tree_can_be_read_and_the_fit_tells_what_the_best_one_would_gain() {
    let here = Here::new();
    here.write("board.csv", &diagonal());
    let fitted = here.ok("fit board.csv --target colour -o readable.json");
    let gain = fitted.lines().find(|line| line.starts_with("best depth: depth ")).unwrap();
    assert!(gain.contains("leaves) would have a log-loss of"), "{gain}");
    assert!(fitted.contains("(--max-depth best)"), "{fitted}");
    assert!(here.ok("show readable.json").contains("best depth: depth "));
    let best = here.ok("fit board.csv --target colour --max-depth best -o best.json");
    assert!(!best.contains("best depth:"), "{best}");
    assert!(best.contains("`ternwood show best.json --full`"), "{best}");
}

#[test]
fn a_tree_that_cannot_be_read_is_summarised() {
    let here = Here::new();
    here.write("board.csv", &diagonal());
    here.ok("fit board.csv --target colour --zone margin -q -o model.json");
    let shown = here.ok("show model.json");
    let is_rule = |line: &&str| line.contains(" %  black  ") || line.contains(" %  white  ");
    assert_eq!(shown.lines().filter(is_rule).count(), 10, "{shown}");
    assert!(shown.contains("`ternwood show --full` prints the whole tree"), "{shown}");
    let n_leaves = |text: &str| {
        text.lines()
            .filter(|line| line.contains(": black with ") || line.contains(": white with "))
            .count()
    };
    let all = here.ok("show model.json --full");
    assert!(n_leaves(&all) > 32 && n_leaves(&shown) == 0, "{all}");
    assert_eq!(n_leaves(&here.ok("export model.json --to text")), n_leaves(&all));
    assert!(here.ok("show model.json --depth 2").contains("more tests below"));
}

#[test]
fn all_verbs_read_semicolons_and_decimal_commas() {
    let here = Here::new();
    let european = |name: &str| {
        let text = here.read(name);
        let swapped = text.replace(',', ";").replace('.', ",");
        here.write(&format!("european-{name}"), &swapped);
    };
    european("patients.csv");
    european("new.csv");
    here.ok(FIT);
    let output = here
        .run("fit european-patients.csv --target ill --drop id --max-depth 2 -q -o european.json");
    assert!(output.status.success());
    let warnings = String::from_utf8(output.stderr).unwrap();
    let expected = "warning: read with a decimal comma, 1,5 as 1.5: 'glucose'; ";
    assert!(warnings.starts_with(expected) && warnings.lines().count() == 1, "{warnings}");
    // The model knows how its numbers are written.
    let notation = r#","notation":{"number":{"decimal":","}}"#;
    let content = |name: &str| {
        let text = here.read(name);
        let lines = text.lines().filter(|line| !line.starts_with("  \"sha256\""));
        lines.collect::<Vec<_>>().join("\n").replace(notation, "")
    };
    assert_eq!(content("european.json"), content("model.json"));
    let output =
        here.run("fit european-patients.csv --target ill --drop id --decimal , -q -o asked.json");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "it was asked for");
    let expected = here.ok("predict model.json new.csv");
    assert_eq!(here.ok("predict european.json european-new.csv"), expected);
}

#[test]
fn arff_is_recognised_under_any_name() {
    let here = Here::new();
    let mut arff =
        "% comment\n@RELATION r\n@ATTRIBUTE x REAL\n@ATTRIBUTE c {a,b}\n@DATA\n".to_owned();
    (0..10).for_each(|row| arff += &format!("{row},{}\n", if row < 5 { "a" } else { "b" }));
    here.write("named.csv", &arff);
    assert!(here.ok("fit named.csv -t c -o m.json").starts_with("named.csv: 10 rows, 1 feature, "));
}

#[test]
fn large_classes_are_not_merged() {
    let here = Here::new();
    let mut table = String::from("x,id\n");
    (0..10).for_each(|row| table += &format!("{row},900719925474099{}\n", 2 + row / 5));
    here.write("large.csv", &table);
    let complaint = here.fails(1, "fit large.csv -t id -o m.json");
    assert!(complaint.contains("read the column as names with --nominal id"), "{complaint}");
    let fitted = here.ok("fit large.csv -t id -o m.json --nominal id --zone margin");
    let classes = "2 classes (9007199254740992 5,\n  9007199254740993 5)";
    assert!(fitted.contains(classes), "{fitted}");
    let answers = here.ok("predict m.json large.csv -q");
    assert!(answers.lines().nth(10).unwrap().starts_with("9007199254740993,0,1,"), "{answers}");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_keeps_its_types_and_text_warns_once() {
    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, Date32Array, Float64Array, Int64Array, ListArray, RecordBatch, StringArray,
    };
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use std::fs::File;
    use std::sync::Arc;
    const ROWS: usize = 40_000;
    let here = Here::new();
    here.ok(FIT);
    let tags = (0..ROWS).map(|row| Some([Some(row as i32)]));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("age", Arc::new(Float64Array::from_iter_values((0..ROWS).map(|i| (i % 80) as f64)))),
        ("smoker", Arc::new(StringArray::from_iter_values((0..ROWS).map(|_| "never")))),
        ("glucose", Arc::new(Float64Array::from_iter_values((0..ROWS).map(|i| (i % 9) as f64)))),
        ("id", Arc::new(Int64Array::from_iter_values((0..ROWS).map(|i| i64::MAX - i as i64)))),
        ("day", Arc::new(Date32Array::from_iter_values((0..ROWS).map(|i| i as i32)))),
        ("tags", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(tags))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(here.path("rows.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();

    here.ok("predict model.json rows.parquet --keep -o out.parquet");
    let out = File::open(here.path("out.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(out).unwrap().with_batch_size(ROWS);
    let read = reader.build().unwrap().next().unwrap().unwrap();
    assert_eq!(read.num_rows(), ROWS);
    for name in ["id", "day", "tags"] {
        assert_eq!(read.column_by_name(name), batch.column_by_name(name), "{name}");
    }

    let output = here.run("predict model.json rows.parquet --keep -q -o out.csv");
    assert!(output.status.success());
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert_eq!(warnings.lines().count(), 1, "{warnings}");
    assert!(warnings.starts_with("warning: column 'tags' of type List("), "{warnings}");
    let csv = here.read("out.csv");
    assert!(csv.starts_with("age,smoker,glucose,id,day,prediction,"), "{}", &csv[..80]);
    let row = csv.lines().nth(2).unwrap();
    assert!(row.starts_with("1,never,1,9223372036854775806,1970-01-02,no,"), "{row}");
    assert_eq!(csv.lines().count(), ROWS + 1);
}

/// Found by fuzzing: the parquet crate panics on some damaged files.
#[cfg(feature = "parquet")]
#[test]
fn a_damaged_parquet_file_gives_a_one_line_error() {
    let here = Here::new();
    here.ok(FIT);
    here.ok("predict model.json new.csv --keep -q -o whole.parquet");
    let whole = std::fs::read(here.path("whole.parquet")).unwrap();
    for at in (4..whole.len() - 8).step_by(whole.len() / 60) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        std::fs::write(here.path("damaged.parquet"), damaged).unwrap();
        let output = here.run("fit damaged.parquet -t ill -q --force -o m.json");
        let complaint = String::from_utf8(output.stderr).unwrap();
        let errors = complaint.lines().filter(|line| !line.starts_with("warning: "));
        assert!(errors.clone().count() <= 1, "byte {at}: {complaint}");
        assert!(errors.clone().all(|line| line.starts_with("error: ")), "byte {at}: {complaint}");
        assert_ne!(output.status.code(), None, "byte {at}");
    }
}
