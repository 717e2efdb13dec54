//! What `predict` asks of later tables: few columns, in any order, in several files; and what it does with
//! cells that it cannot read.

use crate::Here;

/// A model whose tests use `glucose` and `day`, but neither `age` nor `smoker`.
fn fitted(here: &Here) {
    let mut table = String::from("age,glucose,smoker,day,ill\n");
    for row in 0..60 {
        let glucose = 5.0 + f64::from(row * 7 % 30) / 10.0;
        let day = 1 + row * 11 % 28;
        let ill = if glucose > 6.4 && day > 9 { "yes" } else { "no" };
        table += &format!("{},{glucose:.1},never,2023-03-{day:02},{ill}\n", 40 + row % 3);
    }
    here.write("train.csv", &table);
    here.ok("fit train.csv -t ill -q -o model.json");
}

fn stderr(here: &Here, arguments: &str) -> String {
    let output = here.run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn only_tested_columns_are_needed_in_any_order() {
    let here = Here::new();
    fitted(&here);
    here.write(
        "all.csv",
        "age,glucose,smoker,day\n41,7.5,never,2023-03-20\n41,5.1,never,2023-03-02\n",
    );
    here.write("few.csv", "day,glucose\n2023-03-20,7.5\n2023-03-02,5.1\n");
    let expected = here.ok("predict model.json all.csv -q");
    assert!(expected.contains("\nyes,") && expected.contains("\nno,"), "{expected}");
    assert_eq!(here.ok("predict model.json few.csv -q"), expected);
    here.write("none.csv", "glucose\n7.5\n");
    let complaint = here.fails(1, "predict model.json none.csv");
    assert!(complaint.contains("there is no column 'day'"), "{complaint}");
}

#[test]
fn several_files_are_told_apart_and_all_columns_can_be_kept() {
    let here = Here::new();
    fitted(&here);
    here.write("one.csv", "id,glucose,day\na,7.5,2023-03-20\n");
    here.write("two.csv", "id,glucose,day\nb,5.1,2023-03-02\nc,7.0,2023-03-21\n");
    let answers = here.ok("predict model.json one.csv two.csv --keep -q");
    let lines: Vec<&str> = answers.lines().collect();
    assert!(lines[0].starts_with("file,id,glucose,day,prediction,"), "{answers}");
    assert!(lines[1].starts_with("one.csv,a,7.5,2023-03-20,yes,"), "{answers}");
    assert!(lines[3].starts_with("two.csv,c,7.0,2023-03-21,yes,"), "{answers}");
    assert_eq!(lines.len(), 4);
}

#[test]
fn cells_that_cannot_be_read_are_unknown_and_counted() {
    let here = Here::new();
    fitted(&here);
    here.write("bad.csv", "glucose,day\n7.5,soon\n7x5,2023-03-20\n7.5,later\n5.1,2023-03-02\n");
    let warnings = stderr(&here, "predict model.json bad.csv --explain -o answers.csv");
    let day =
        "bad.csv, line 2, column 'day': 'soon' is not a date; 2 such cells of the column count";
    let glucose = "line 3, column 'glucose': '7x5' is not a number; the cell counts as unknown";
    assert!(warnings.contains(day) && warnings.contains(glucose), "{warnings}");
    let answers = here.read("answers.csv");
    let rows: Vec<&str> = answers.lines().skip(1).collect();
    for row in &rows[..3] {
        assert!(row.contains(",undecided,") && row.contains("cannot be read"), "{answers}");
    }
    assert!(rows[3].contains(",decided,"), "{answers}");
    let complaint = here.fails(1, "predict model.json bad.csv --strict");
    assert!(
        complaint.contains("line 2, column 'day': 'soon' is not a date like %Y-%m-%d"),
        "{complaint}"
    );
}

#[test]
fn unknown_categories_can_be_refused() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id --max-depth 3 -q -o model.json");
    here.write("new.csv", "age,smoker,glucose\n41,pipe,6.3\n");
    let warnings = stderr(&here, "predict model.json new.csv -o answers.csv");
    assert!(warnings.contains("training did not see: 'pipe' (1)"), "{warnings}");
    let complaint = here.fails(1, "predict model.json new.csv --unknown error");
    assert!(complaint.contains("'pipe' (1)") && complaint.contains("--unknown"), "{complaint}");
}

#[test]
fn a_later_table_may_have_other_decimal_marks() {
    let here = Here::new();
    fitted(&here);
    here.write("point.csv", "glucose,day\n7.5,2023-03-20\n");
    here.write("comma.csv", "glucose;day\n7,5;2023-03-20\n");
    let expected = here.ok("predict model.json point.csv -q");
    assert_eq!(here.ok("predict model.json comma.csv --decimal , -q"), expected);
    let warnings = stderr(&here, "predict model.json comma.csv -o answers.csv");
    assert!(warnings.contains("'7,5' is not a number"), "{warnings}");
}
