//! Missing values, categories that training did not see, and rows without a class.

use crate::Here;
use ternwood::Model;
use ternwood::recipe::MissingValues;

const FIT: &str =
    "fit patients.csv --target ill --drop id --zone margin --max-depth 3 -q -o model.json --force";

/// The warnings of a command that must succeed.
fn warnings(here: &Here, args: &str) -> Vec<String> {
    let output = here.run(args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "ternwood {args}: {errors}");
    errors.lines().filter(|line| line.starts_with("warning: ")).map(str::to_owned).collect()
}

fn model(here: &Here, name: &str) -> Model {
    Model::from_json(&here.read(name)).unwrap()
}

#[test]
fn every_verb_counts_unseen_categories_once_per_column() {
    let here = Here::new();
    here.ok(FIT);
    // More rows than a chunk.
    let mut table = String::from("age,smoker,glucose,ill\n");
    for row in 0..40_000 {
        let smoker = if row % 20_000 == 5 { "pipe" } else { "never" };
        table += &format!("{},{smoker},{},no\n", 30 + row % 40, 4 + row % 5);
    }
    table += "50,Never,5,yes\n";
    here.write("later.csv", &table);
    let expected = "warning: column 'smoker': 3 rows have categories that training did not see: \
                    'pipe' (2), 'Never' (1); tests of 'smoker' cannot place them";
    for args in [
        "predict model.json later.csv -o out.csv",
        "evaluate later.csv --model model.json",
        "calibrate model.json later.csv --flag-rate 0.1 -o out.json",
        "explain model.json later.csv --row 6,20006,40001",
    ] {
        let told = warnings(&here, args);
        // What is said about verdicts is another matter.
        let about_columns = told.iter().filter(|line| line.starts_with("warning: column"));
        assert_eq!(about_columns.collect::<Vec<_>>(), [expected], "{args}");
    }
    let one = warnings(&here, "explain model.json later.csv --row 6,7");
    let expected = "warning: column 'smoker': 1 row has a category that training did not see: \
                    'pipe' (1); tests of 'smoker' cannot place it";
    assert_eq!(one, [expected]);
    assert!(warnings(&here, "predict model.json new.csv").is_empty());
}

#[test]
fn reasons_name_a_category_that_training_did_not_see() {
    let here = Here::new();
    here.ok(FIT);
    here.write("later.csv", "age,smoker,glucose\n50,pipe,5\n50,,5\n");
    let answers = here.ok("predict model.json later.csv --explain");
    let reasons: Vec<&str> = answers.lines().skip(1).collect();
    let begin = "Flagged as not covered: the training table had no";
    assert!(reasons[0].contains(&format!("{begin} smoker 'pipe'.")), "{answers}");
    assert!(reasons[1].contains(&format!("{begin} gaps in smoker.")), "{answers}");
    let explained = here.ok("explain model.json later.csv --row 1");
    assert!(explained.contains("smoker 'pipe' is UNKNOWN"), "{explained}");
}

#[test]
fn missing_values_are_learnt_unknown_refused_or_filled() {
    let here = Here::new();
    let fit = |missing: &str| {
        here.ok(&format!("fit gaps.csv -t ill --missing {missing} -q -o {missing}.json"));
        model(&here, &format!("{missing}.json"))
    };
    let fills = |model: &Model| -> Vec<Option<f64>> {
        model.schema().features().iter().map(|feature| feature.fill).collect()
    };
    for (name, missing) in [("learn", MissingValues::Learn), ("unknown", MissingValues::Unknown)] {
        let model = fit(name);
        assert_eq!(model.recipe().params.missing, missing);
        assert_eq!(fills(&model), [None; 3]);
    }
    here.ok("fit gaps.csv -t ill -q -o default.json");
    assert_eq!(here.read("default.json"), here.read("learn.json"));
    let filled = fit("median");
    assert_eq!(filled.recipe().params.missing, MissingValues::Learn);
    // Numbers: the median. Categories: the commonest. Nothing where no value is missing.
    assert_eq!(fills(&filled), [None, Some(2.0), Some(6.0)]);
    let shown = here.ok("show median.json");
    assert!(shown.contains("\nmissing values: become smoker never, glucose 6\n"), "{shown}");
    assert_eq!(fills(&fit("mode")), [None, Some(2.0), Some(4.4)]);
    let shown = here.ok("show unknown.json");
    assert!(shown.contains("\nmissing values: unknown at every test\n"), "{shown}");
}

#[test]
fn a_refused_missing_value_is_named_with_its_line_by_every_verb() {
    let here = Here::new();
    let complaint = here.fails(1, "fit gaps.csv -t ill --missing error -o strict.json");
    assert!(
        complaint.contains("gaps.csv, line 9, column 'smoker': the value is missing"),
        "{complaint}"
    );
    assert!(complaint.contains("fit with --missing learn"), "{complaint}");
    here.ok("fit patients.csv -t ill --drop id --missing error -q -o strict.json");
    assert!(here.ok("show strict.json").contains("\nmissing values: an error\n"));
    for args in [
        "predict strict.json gaps.csv",
        "evaluate gaps.csv --model strict.json",
        "calibrate strict.json gaps.csv --flag-rate 0.1 -o out.json",
        "explain strict.json gaps.csv --row 8",
    ] {
        let complaint = here.fails(1, args);
        let place = "error: gaps.csv, line 9, column 'smoker': the value is missing";
        let other = "error: gaps.csv, line 6, column 'glucose': the value is missing";
        assert!(complaint.starts_with(place) || complaint.starts_with(other), "{complaint}");
    }
    here.ok("explain strict.json gaps.csv --row 1");
}

#[test]
fn rows_without_a_class_are_dropped_and_counted_or_refused() {
    let here = Here::new();
    let complete = here.read("patients.csv");
    let (header, rows) = complete.split_once('\n').unwrap();
    let gaps = "g1,30,cigar,5.5,\ng2,31,never,5.5,?\n";
    here.write("partly.csv", &format!("{header}\n{gaps}{rows}"));
    let expected = "warning: dropped 2 rows without a class in column 'ill'";
    let fit = "-t ill --drop id -q -o";
    assert_eq!(warnings(&here, &format!("fit partly.csv {fit} partly.json")), [expected]);
    here.ok(&format!("fit patients.csv {fit} model.json"));
    assert_eq!(here.read("partly.json"), here.read("model.json"));
    for args in [
        "evaluate partly.csv -t ill --drop id --cv 2 --max-depth 2",
        "evaluate partly.csv --model model.json",
        "calibrate model.json partly.csv --cross-fit --flag-rate 0.2 -o out.json --force",
    ] {
        assert_eq!(warnings(&here, args)[0], expected, "{args}");
        let complaint = here.fails(1, &format!("{args} --missing-target error"));
        assert!(complaint.contains("line 2, column 'ill': the class is missing"), "{complaint}");
        assert!(complaint.contains("--missing-target drop"), "{complaint}");
    }
    let all_rows = here.ok("predict model.json partly.csv -q");
    assert_eq!(all_rows.lines().count(), 51, "a prediction needs no class");
    here.write("empty.csv", "age,ill\n1,\n2,?\n");
    let complaint = here.fails(1, "fit empty.csv -t ill -o out.json --force");
    assert_eq!(
        complaint,
        "error: empty.csv: the target column 'ill' has no value at all, so no row has a class; \
         name another target\n"
    );
}

#[test]
fn weights_belong_to_the_rows_that_stay() {
    let here = Here::new();
    here.write("w.csv", "x,w,y\n1,1,a\n2,5,\n3,2,b\n4,0,a\n");
    here.write("same.csv", "x,w,y\n1,1,a\n3,2,b\n4,0,a\n");
    here.ok("fit w.csv -t y --weights w -q -o w.json");
    here.ok("fit same.csv -t y --weights w -q -o same.json");
    assert_eq!(here.read("w.json"), here.read("same.json"));
    // A category of rows that do not count is not known.
    here.write("c.csv", "c,w,y\np,1,a\nq,1,b\nr,0,a\np,2,a\nq,1,b\n");
    here.ok("fit c.csv -t y --weights w -q -o c.json");
    assert_eq!(model(&here, "c.json").schema().features()[0].kind.names(), ["p", "q"]);
}

#[test]
fn mistakes_about_gaps_and_categories() {
    let here = Here::new();
    let usage = |options: &str| {
        here.fails(2, &format!("fit patients.csv -t ill --drop id -o out.json {options}"))
    };
    let complaint = usage("--missing mean");
    assert!(complaint.contains("[possible values: learn, unknown, error, median, mode]"));
    let complaint = usage("--unknown missing");
    assert!(complaint.contains("unexpected argument '--unknown'"), "{complaint}");
    let complaint = usage("--missing-target mode");
    assert!(complaint.contains("[possible values: drop, error]"), "{complaint}");
    let complaint = usage("--zone margin --category-error=-1");
    assert!(complaint.contains("category_error is -1; allowed: "), "{complaint}");
    let complaint = usage("--zone margin --category-error nan");
    assert!(complaint.contains("category_error is NaN; allowed: "), "{complaint}");
    let complaint = usage("--zone none --category-error 1");
    assert!(complaint.contains("--category-error is for trees with zones"), "{complaint}");
    let complaint = usage("--category-error 1");
    assert!(complaint.contains("with --category-error say --zone-scale too"), "{complaint}");
    here.ok("fit patients.csv -t ill --drop id -q -o both.json --zone-scale 1 --category-error 1");
    assert_eq!(model(&here, "both.json").recipe().params.zone.category_error, 1.0);
    let complaint = here.fails(2, "evaluate new.csv --model both.json --min-samples-category 3");
    assert!(complaint.contains("cannot be used with"), "{complaint}");

    here.write("infinite.csv", "x,y\n1,a\ninf,b\n");
    let complaint = here.fails(1, "fit infinite.csv -t y -o out.json");
    assert!(complaint.contains("infinite.csv, line 3, column 'x': inf is not"), "{complaint}");
    here.write("constant.csv", "c,empty,y\nonly,,a\nonly,,a\nonly,,b\nonly,?,b\n");
    let output = here.run("fit constant.csv -t y -o out.json");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        told,
        "warning: column 'c' is 'only' in every row and tells nothing; leave it out with --drop c\n\
         warning: column 'empty' has no value at all and is left out\n\
         next: ternwood show out.json\n"
    );
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(summary.contains("constant.csv: 4 rows, 1 feature, 2 classes"), "{summary}");
    assert!(summary.contains("\ntree: 0 tests, 1 leaf, depth 0\n"), "{summary}");
}

#[test]
fn rare_categories_count_as_unseen() {
    let here = Here::new();
    let mut table = String::from("ward,ill\n");
    for row in 0..60 {
        let ward = if row < 2 { "K9" } else { ["A", "B"][row % 2] };
        table += &format!("{ward},{}\n", if row % 2 == 0 { "no" } else { "yes" });
    }
    here.write("wards.csv", &table);
    let branches = |fitted: &str| -> String {
        fitted.lines().filter(|line| line.contains("─ in {")).collect()
    };
    let fitted = here.ok("fit wards.csv -t ill -o common.json --min-samples-category 3");
    assert!(!branches(&fitted).contains("K9"), "{fitted}");
    assert!(branches(&here.ok("fit wards.csv -t ill -o all.json")).contains("K9"));
    let explained = here.ok("explain common.json wards.csv --row 1");
    assert!(explained.contains("ward 'K9' is UNKNOWN"), "{explained}");
}

#[test]
fn a_row_without_any_information_is_undecided() {
    let here = Here::new();
    here.write("blank.csv", "age,smoker,glucose\n,,\nx,y,z\n");
    for options in ["", "--forest 20", "--zone margin"] {
        here.ok(&format!("fit patients.csv -t ill --drop id {options} -q -o model.json --force"));
        let answers = here.ok("predict model.json blank.csv -q");
        let verdicts: Vec<&str> =
            answers.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
        assert_eq!(verdicts, ["undecided"; 2], "{options}: {answers}");
    }
}

#[test]
fn uncovered_rows_may_be_judged_like_all_others() {
    let here = Here::new();
    here.write("blank.csv", "age,smoker,glucose\n,,\n");
    let verdict = |model: &str| here.ok(&format!("predict {model} blank.csv -q"));
    let fit = "fit patients.csv -t ill --drop id --cost-ratio 0.6 -q";
    here.ok(&format!("{fit} -o usual.json"));
    assert!(verdict("usual.json").ends_with(",undecided\n"));
    // Of two classes one has a probability of at least a half.
    here.ok(&format!("{fit} --uncovered judge -o judging.json"));
    assert!(verdict("judging.json").ends_with(",decided\n"));
    let shown = here.ok("show judging.json");
    assert!(shown.contains("uncovered rows are judged like all others"), "{shown}");
    here.ok("calibrate usual.json --cost-ratio 0.6 --uncovered judge -o again.json -q");
    assert!(verdict("again.json").ends_with(",decided\n"));
    here.ok("calibrate again.json --zone -o zones.json -q");
    assert!(verdict("zones.json").ends_with(",undecided\n"));
}

#[test]
fn every_way_to_set_a_policy_knows_the_treatment_of_uncovered_rows() {
    let here = Here::new();
    let judges = |name: &str| model(&here, name).verdict().uncovered().as_str() == "judge";
    let fit = "fit patients.csv --target ill --drop id -q";
    for (name, options) in [
        ("zones", "--zone margin"),
        ("depth", "--max-depth 2"),
        ("forest", "--forest 10"),
        ("held", "--hold-out 0.3 --flag-rate 0.3"),
        // In pieces, nothing is calibrated.
        ("pieces", "--zone margin --max-depth 3 --resume state"),
    ] {
        here.ok(&format!("{fit} {options} --uncovered judge -o {name}.json"));
        assert!(judges(&format!("{name}.json")), "{options}");
        here.ok(&format!("{fit} {options} -o {name}.json --force"));
        assert!(!judges(&format!("{name}.json")), "{options}");
    }
    here.ok("calibrate zones.json --zone --uncovered judge -o again.json -q");
    assert!(judges("again.json"));
    here.ok("calibrate zones.json --costs 1,5 --uncovered judge -o costs.json -q");
    assert!(judges("costs.json"));
    let complaint = here.fails(2, "evaluate new.csv --model zones.json --uncovered judge");
    assert!(complaint.contains("cannot be used with"), "{complaint}");
    let evaluated = here.ok(
        "evaluate patients.csv -t ill --drop id --cv 2 --zones margin --max-depth 2 --uncovered judge",
    );
    assert!(evaluated.contains("uncovered rows are judged like all others"), "{evaluated}");
}

#[test]
fn a_table_of_trade_offs_judges_uncovered_rows_on_request() {
    let here = Here::new();
    here.ok(FIT);
    // Each row once as it is, and once without an age.
    let held_out = here.read("held-out.csv");
    let (header, rows) = held_out.split_once('\n').unwrap();
    let age = header.split(',').position(|name| name == "age").unwrap();
    let gap = |row: &str| {
        let mut cells: Vec<&str> = row.split(',').collect();
        cells[age] = "";
        cells.join(",") + "\n"
    };
    let gaps: String = rows.lines().map(gap).collect();
    here.write("gaps-too.csv", &format!("{header}\n{rows}{gaps}"));
    let table =
        |options: &str| here.ok(&format!("calibrate model.json gaps-too.csv --table{options}"));
    assert_ne!(table(" --uncovered judge"), table(""));
}

#[test]
fn check_and_report_count_uncovered_rows() {
    let here = Here::new();
    here.ok(FIT);
    here.ok("calibrate model.json held-out.csv --cost-ratio 0.2 -q -o sure.json");
    here.write("later.csv", "age,smoker,glucose,ill\n50,pipe,5,no\n,never,5,no\n40,snuff,5,yes\n");
    let checked = here.ok("check sure.json later.csv --target ill -q");
    let line = "uncovered: 100.0 % of 3 (29.2 to 100.0 %); in calibration 0.0 % of 240";
    assert!(checked.replace("\n  ", " ").contains(line), "{checked}");
    let because = "uncovered because of: new category of smoker (2 rows), no value of age (1 row)";
    assert!(checked.replace("\n  ", " ").contains(because), "{checked}");
    here.ok("check sure.json later.csv --target ill --json -o check.json -q");
    assert!(here.read("check.json").contains("\"reason\": \"new_category\""));
    here.ok("evaluate later.csv --model sure.json --report signed.html -q");
    let page = here.read("signed.html");
    let sentence = "3 of 3 rows are undecided because they are uncovered (29.2 to 100.0 % with 95 % \
                    confidence). Of the 240 rows that set the verdict, 0 were uncovered.";
    assert!(page.contains(sentence), "{page}");
    assert!(page.contains("<td>smoker</td><td>new category</td><td>2</td>"), "{page}");
    here.ok("calibrate model.json held-out.csv --cost-ratio 0.2 --uncovered judge -q -o all.json");
    here.ok("evaluate later.csv --model all.json --report signed.html -q --force");
    let sentence = "3 of 3 rows are uncovered; the verdict judges them like all other rows (29.2";
    assert!(here.read("signed.html").contains(sentence), "{}", here.read("signed.html"));
}

#[test]
fn gaps_that_training_did_not_have_are_counted_or_refused() {
    let here = Here::new();
    here.ok(FIT);
    here.write("later.csv", "age,smoker,glucose\n50,never,5\n,never,\n40,never,\n");
    let expected = [
        "warning: column 'age': 1 row has no value, and the training table had no gaps there; it is undecided",
        "warning: column 'glucose': 2 rows have no value, and the training table had no gaps there; they are undecided",
    ];
    assert_eq!(warnings(&here, "predict model.json later.csv -o out.csv"), expected);
    for option in ["--strict", "--unknown error"] {
        let complaint = here.fails(1, &format!("predict model.json later.csv {option}"));
        let expected = format!(
            "error: later.csv, line 3, column 'age': the value is missing, and the training table had no gaps in \
             this column; fill it in, or drop the row; or leave out {option}"
        );
        assert!(complaint.starts_with(&expected), "{complaint}");
    }
    // Not where training had some.
    here.ok("fit gaps.csv -t ill --zone margin --max-depth 3 -q -o learned.json");
    here.write("gap.csv", "age,smoker,glucose\n50,,5\n");
    here.ok("predict learned.json gap.csv --strict -q");
}
