//! Rows that a model was trained on are not taken for new ones; and a check turns red.

use super::Here;

fn fitted(options: &str) -> Here {
    let here = Here::new();
    here.ok(&format!("fit held-out.csv --target ill --drop id -o m.json -q {options}"));
    here
}

#[test]
fn training_rows_are_refused_and_the_remedy_works() {
    let here = fitted("");
    let error = here.fails(1, "calibrate m.json held-out.csv --accuracy 0.8 -o sure.json");
    assert!(error.contains("all of these 240 rows were trained on: "), "{error}");
    assert!(error.contains("cross-fit the training rows with --cross-fit"), "{error}");
    assert!(!here.files().contains(&"sure.json".to_owned()));
    here.ok("calibrate m.json held-out.csv --accuracy 0.8 -o sure.json --cross-fit -q");
    // Whoever says that they are new is believed, and the verdict says so wherever it is shown.
    assert!(
        error.ends_with("; if you know that they are new, --allow-training-rows skips this test\n")
    );
    let told =
        here.ok("calibrate m.json held-out.csv --accuracy 0.8 -o said.json --allow-training-rows");
    assert!(told.contains("not compared with the training rows"), "{told}");
    assert!(here.read("said.json").contains("\"held_out_untested\""));
    let told = here.ok("show said.json");
    assert!(told.contains("not compared with the"), "{told}");
    here.ok("evaluate held-out.csv --model said.json --report signed.html -q");
    assert!(here.read("signed.html").contains("not compared with the training rows"));
    // Other rows are not those of training.
    let error =
        here.fails(1, "calibrate m.json patients.csv --flag-rate 0.2 -o x.json --cross-fit");
    assert!(
        error.contains("these are not the 240 rows that the model was trained on: they are 48"),
        "{error}"
    );
    assert!(error.contains(" of them were not among those"), "{error}");
}

#[test]
fn a_measurement_on_training_rows_is_called_too_good() {
    let here = fitted("");
    let output = here.run("evaluate held-out.csv --model m.json");
    assert!(output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    let warning = "warning: held-out.csv: all of these 240 rows were trained on";
    assert!(errors.contains(warning), "{errors}");
    let errors =
        String::from_utf8(here.run("evaluate patients.csv --model m.json").stderr).unwrap();
    assert!(!errors.contains("trained on"), "{errors}");
}

/// Where nobody can tell, that is said: in a private model, or without a column.
#[test]
fn calibration_says_what_it_cannot_know() {
    let here = fitted("--private");
    assert!(!here.read("m.json").contains("filter") && !here.read("m.json").contains("twins"));
    let output = here.run("calibrate m.json held-out.csv --accuracy 0.8 -o sure.json");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let words =
        "cannot tell whether the model was trained on rows of held-out.csv: the model has nothing";
    assert!(errors.contains(words), "{errors}");
    let output = here.run("calibrate m.json held-out.csv --accuracy 0.8 -o cross.json --cross-fit");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    assert!(
        errors.contains("could not check that these are the rows that the model was"),
        "{errors}"
    );
    let here = fitted("--max-depth 1");
    let table = here.read("held-out.csv");
    let without_age: Vec<String> = table
        .lines()
        .map(|line| {
            line.split(',')
                .enumerate()
                .filter(|(i, _)| *i != 1)
                .map(|(_, x)| x)
                .collect::<Vec<_>>()
                .join(",")
        })
        .collect();
    here.write("less.csv", &without_age.join("\n"));
    let output = here.run("calibrate m.json less.csv --flag-rate 0.2 -o sure.json");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("the table has no usable column 'age'"), "{errors}");
}

/// Cells that no test looks at cannot stop a calibration.
#[test]
fn what_no_test_looks_at_may_be_anything() {
    let here = fitted("--max-depth 1");
    let table = here.read("patients.csv").replacen("p01,22,", "p01,twenty,", 1);
    here.write("odd.csv", &table);
    here.ok("evaluate odd.csv --model m.json");
}

#[test]
fn a_model_to_publish_says_nothing_of_single_rows() {
    let here = fitted("");
    assert!(here.read("m.json").contains("\"filter\""));
    here.ok("export m.json -o public.json --private -q");
    here.ok("calibrate m.json patients.csv --flag-rate 0.2 --private -o budget.json -q");
    for file in ["public.json", "budget.json"] {
        let text = here.read(file);
        assert!(text.contains("\"private\":true"), "{file}");
        assert!(!text.contains("filter") && !text.contains("twins"), "{file}");
    }
    here.ok("show m.json -o page.html -q");
    assert!(!here.read("page.html").contains("salt") && !here.read("page.html").contains("twins"));
}

/// What an operator does every night, until one night it fails.
#[test]
fn a_nightly_check_turns_red() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id,smoker -o m.json -q");
    here.ok("calibrate m.json held-out.csv --accuracy 0.8 -o sure.json -q");
    here.ok("check sure.json held-out.csv --fail");
    let table = here.read("held-out.csv");
    let shifted: Vec<String> = table
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if let (true, Ok(glucose)) = (number > 0, cells[3].parse::<f64>()) {
                cells[3] = (1.8 * glucose).to_string();
            }
            cells.join(",")
        })
        .collect();
    here.write("shifted.csv", &shifted.join("\n"));
    let error = here.fails(3, "check sure.json shifted.csv --fail");
    let worst = "error: shifted.csv: it does not hold: glucose: 172 of 240 values are outside";
    assert!(error.contains(worst), "the surest change comes first: {error}");
    assert!(error.contains("; and 1 more"), "{error}");
    // Without --fail it only tells.
    let told = here.ok("check sure.json shifted.csv");
    assert!(told.contains("glucose: ") && told.contains("it does not hold: "), "{told}");
    // Labels that are wrong break the promise.
    let swapped =
        table.replace(",no\n", ",NO\n").replace(",yes\n", ",no\n").replace(",NO\n", ",yes\n");
    here.write("swapped.csv", &swapped);
    let error = here.fails(3, "check sure.json swapped.csv --target ill --fail");
    assert!(error.contains("promised: at most 20 %: broken"), "{error}");
    let json = here.ok("check sure.json shifted.csv --json");
    assert!(json.contains("\"holds\": false"), "{json}");
    assert!(
        json.contains("\"outcome\": \"changed\"") && json.contains("\"feature\": \"glucose\""),
        "{json}"
    );
    here.fails(2, "check sure.json");
    let error = here.fails(2, "check sure.json held-out.csv --level 2");
    assert!(error.contains("level is 2; allowed: a number between 0 and 1"), "{error}");
}
