//! What the command says in the end: warnings about verdicts, and a next command that runs.

use crate::Here;
use std::fmt::Write;
use std::process::Output;

/// What was said on standard error.
fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The command that is suggested.
fn suggested(told: &str) -> &str {
    let (_, command) = told.rsplit_once("next: ").unwrap();
    command.trim_end()
}

/// Runs a command as a shell would that finds `ternwood` first.
#[cfg(unix)]
fn run_in_shell(here: &Here, command: &str) -> Output {
    use std::path::Path;
    use std::process::Command;
    let program = Path::new(env!("CARGO_BIN_EXE_ternwood"));
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    Command::new("sh")
        .args(["-c", command])
        .current_dir(here.0.path())
        .env("PATH", path)
        .output()
        .unwrap()
}

/// A table in which every other row near the middle is of the wrong class, with awkward names.
#[cfg(unix)]
fn overlapping(here: &Here) {
    for (name, decimals) in [("two words.csv", 5), ("new.csv", 25)] {
        let mut table = String::from("row no;it's x;class\n");
        for row in 0..240_i32 {
            let is_late = row > 120;
            let wrong = (100..140).contains(&row) && row % 2 == 0;
            let class = if is_late == wrong { "früh" } else { "spät" };
            writeln!(table, "r{row};{}.{decimals};{class}", (row * 7) % 240 / 7 + row).unwrap();
        }
        here.write(name, &table);
    }
}

#[cfg(unix)]
#[test]
fn every_suggested_command_runs() {
    let here = Here::new();
    overlapping(&here);
    let mut steps =
        vec!["fit 'two words.csv' -t class --drop 'row no' -o 'a model.json' -q".to_owned()];
    let mut known = Vec::new();
    for first in [
        "fit 'two words.csv' -t class --drop 'row no' --delimiter ';' -o fitted.json",
        "fit 'two words.csv' -t class --drop 'row no' --max-depth 2 --cost-ratio 0.3 -o fixed.json",
        "fit 'two words.csv' -t class --drop 'row no' --zone specified --half-width \"it's x=1.5\" \
         --leaves smoothed --zero-gain-splits -o specified.json",
        "fit 'two words.csv' -t class --drop 'row no' --zone margin --bayes-scale -o bayes.json",
        "evaluate 'two words.csv' -t class --drop 'row no' --cv 3 --zones all,spread --max-depth 3",
        "evaluate 'two words.csv' -t class --model 'a model.json'",
        "evaluate new.csv --model specified.json",
        "evaluate new.csv --model specified.json --costs 1,5",
        "calibrate 'a model.json' new.csv --flag-rate 0.1 -o budget.json",
        "calibrate specified.json --cost-ratio 0.3 -o cheap.json",
        "check budget.json new.csv",
        "evaluate 'two words.csv' -t class --drop 'row no' --cv 3 --forest 5 --flag-rate 0.1",
    ] {
        steps.push(first.to_owned());
    }
    for step in steps {
        let output = run_in_shell(&here, &format!("ternwood {step}"));
        let said = told(&output);
        if step.ends_with("-q") {
            assert_eq!(said, "");
            continue;
        }
        let next = suggested(&said);
        assert!(!(next.contains("--forest") && next.contains("--hold-out")), "{next}");
        let output = run_in_shell(&here, next);
        assert!(output.status.success(), "{next}\n{}", String::from_utf8_lossy(&output.stderr));
        known.push(next.split(' ').nth(1).unwrap().to_owned());
    }
    let expected = [
        "evaluate",
        "evaluate",
        "evaluate",
        "evaluate",
        "fit",
        "predict",
        "calibrate",
        "calibrate",
        "show",
        "show",
        "check",
        "fit",
    ];
    assert_eq!(known, expected);
}

/// The suggested command grows the same trees: its options are those of the fit.
#[test]
fn suggestions_keep_the_options() {
    let here = Here::new();
    let fit = "fit patients.csv -t ill --drop id --drop smoker --max-depth 2 --seed 3 --threads 1 \
               --class-weight no=1,yes=2 --zone quality_plateau --plateau-connected -o m.json --force";
    assert_eq!(
        suggested(&told(&here.run(fit))),
        "ternwood evaluate patients.csv --target ill --cv 5 --drop id --drop smoker --max-depth 2 \
         --class-weight no=1,yes=2 --seed 3 --zones quality_plateau --plateau-connected"
    );
    let evaluate = "evaluate patients.csv -t ill --drop id,smoker --cv 5 --format csv --costs 1,5";
    let said = told(&here.run(evaluate));
    assert_eq!(
        suggested(&said),
        "ternwood fit patients.csv --target ill --output model.json --costs 1,5 --drop id,smoker"
    );
    here.write("model.json", "taken");
    let said = told(&here.run(evaluate));
    assert!(suggested(&said).contains("--output model-2.json"), "{said}");
}

#[test]
fn nothing_is_suggested_that_cannot_be_run() {
    let here = Here::new();
    let quiet = here.run("fit patients.csv -t ill --drop id -o m.json -q");
    assert_eq!(told(&quiet), "");
    let to_stdout = here.run("fit patients.csv -t ill --drop id -o -");
    assert_eq!(told(&to_stdout), "");
    let mut from_pipe = here.command("fit - -t ill --drop id -o piped.json");
    from_pipe.stdin(std::fs::File::open(here.path("patients.csv")).unwrap());
    let said = told(&from_pipe.output().unwrap());
    assert_eq!(said, "next: ternwood show piped.json\n", "a pipe cannot be read again");
    here.write("two.csv", "x,y\n1.5,a\n2.25,b\n");
    let said = told(&here.run("fit two.csv -t y -o two.json"));
    let steps: Vec<&str> = said.lines().filter(|line| !line.starts_with("warning: ")).collect();
    assert_eq!(steps, ["next: ternwood show two.json"], "two rows make no five folds: {said}");
}

/// One class is as common as the other, and nothing tells them apart.
fn coin_tosses(here: &Here) {
    let mut table = String::from("x,class\n");
    for row in 0..400_u32 {
        let heads = (row.wrapping_mul(2_654_435_769) >> 16) % 2;
        writeln!(table, "{},{}", row % 20, ["heads", "tails"][heads as usize]).unwrap();
    }
    here.write("coins.csv", &table);
}

#[test]
fn verdicts_that_do_not_serve_are_warned_of() {
    let here = Here::new();
    coin_tosses(&here);
    let all_flagged = "warning: 100.0 % of the rows are flagged, so few answers stand";
    let said = told(&here.run("fit coins.csv -t class -o coins.json"));
    assert!(said.starts_with(all_flagged), "{said}");
    let said = told(&here.run("evaluate coins.csv -t class --cv 5"));
    assert!(said.contains(all_flagged), "{said}");
    // Warnings are not for the quiet only.
    let said = told(&here.run("calibrate coins.json coins.csv --cost-ratio 0.2 -q -o c.json"));
    assert!(said.starts_with(all_flagged), "{said}");
    let said = told(&here.run("calibrate coins.json coins.csv --cost-ratio 0.7 -q -o d.json"));
    assert!(said.starts_with("warning: no row is flagged, although"), "{said}");
    let weighted = "fit held-out.csv -t ill --class-weight no=1,yes=4 -q -o weighted.json";
    let said = told(&here.run(weighted));
    assert!(said.contains("warning: class weights shift the probabilities"), "{said}");
}

#[test]
fn verdicts_that_serve_are_not() {
    let here = Here::new();
    coin_tosses(&here);
    for (args, why) in [
        ("fit patients.csv -t ill --drop id,smoker -q -o a.json", "some flags, on better rows"),
        ("fit coins.csv -t class --zone none -q -o b.json", "no flags are wanted"),
        ("evaluate new.csv --model a.json -q", "a dozen rows prove nothing"),
        ("calibrate b.json coins.csv --flag-rate 0.9 -q -o d.json", "as many as wanted"),
    ] {
        let said = told(&here.run(args));
        assert!(!said.contains("warning"), "{why}: {said}");
    }
}

#[test]
fn a_word_of_the_documentation_gets_a_tip() {
    let here = Here::new();
    for verb in ["fit patients.csv -o m.json", "evaluate patients.csv --cv 5"] {
        let complaint = here.fails(2, &format!("{verb} -t ill --calibrated"));
        let tip = "tip: trees are calibrated unless you say --zone (or --zones)";
        assert!(complaint.contains(tip), "{complaint}");
    }
}
