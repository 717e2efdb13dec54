//! Many files, and tables larger than the memory they may take: the same model as of one file.

use crate::Here;
use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use ternwood_table::{Format, ReadOptions, Source, TableWriter, read_table};

const HEADER: &str = "age,glucose,ward,since,weight,ill\n";

/// Numbers, gaps, categories, dates, weights, and rows without a class.
fn rows(n_rows: u64) -> Vec<String> {
    let mut state = 7_u64;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % bound
    };
    let row = |_| {
        let (age, glucose, ward) = (20 + below(60), below(900), below(4));
        let is_ill = age * 10 + glucose + 40 * ward + below(300) > 1100;
        let glucose =
            if below(9) == 0 { String::new() } else { format!("{:.1}", glucose as f64 / 10.0) };
        let ward = ["north", "south", "east", "west"][ward as usize];
        let since = format!("{:02}.{:02}.20{:02}", 1 + below(28), 1 + below(12), 10 + below(12));
        let weight = below(40) as f64 / 10.0;
        let ill = if below(50) == 0 { "" } else { ["no", "yes"][usize::from(is_ill)] };
        format!("{age},{glucose},{ward},{since},{weight},{ill}\n")
    };
    (0..n_rows).map(row).collect()
}

/// One table as a file, and in a folder of files: one has no rows, one a single row.
fn tables(here: &Here, n_rows: u64) {
    let rows = rows(n_rows);
    let text = |rows: &[String]| HEADER.to_owned() + &rows.concat();
    here.write("one.csv", &text(&rows));
    for folder in ["csv", "parquet"] {
        std::fs::create_dir(here.path(folder)).unwrap();
    }
    let n = rows.len();
    let ends = [0, n / 3, n / 3 + 1, 3 * n / 4, n];
    let mut start = 0;
    for (at, end) in ends.into_iter().enumerate() {
        here.write(&format!("csv/part-{at}.csv"), &text(&rows[start..end]));
        start = end;
    }
    // Dates are written as texts, and recognised as in CSV.
    let to_parquet = |csv: &str, parquet: &str| {
        let options = ReadOptions::new().nominal(["since"]);
        let table = read_table(&Source::file(here.path(csv)), &options).unwrap();
        let file = File::create(here.path(parquet)).unwrap();
        let mut writer = TableWriter::new(parquet, file, Format::Parquet).unwrap();
        writer.write(&table).unwrap();
        writer.finish().unwrap();
    };
    to_parquet("one.csv", "one.parquet");
    for at in 1..ends.len() {
        to_parquet(&format!("csv/part-{at}.csv"), &format!("parquet/part-{at}.parquet"));
    }
}

const FIT: &str = "--target ill --weights weight --max-depth 6 -q --force";

#[test]
fn many_files_make_the_model_of_one() {
    let here = Here::new();
    tables(&here, 4000);
    for zone in ["margin", "quality_plateau", "class_overlap", "gain_ratio", "spread", "none"] {
        let fit = format!("{FIT} --zone {zone}");
        here.ok(&format!("fit one.csv {fit} -o one.json"));
        let expected = here.read("one.json");
        for data in [
            "csv",
            "csv --memory 100KB",
            "csv/part-*.csv --memory 100KB --reread",
            "csv/part-4.csv csv/part-0.csv csv/part-3.csv csv/part-1.csv csv/part-2.csv --memory 100KB",
            "one.csv --memory 150KB",
            "parquet --memory 100KB",
            "parquet",
            "one.parquet --memory 100KB --reread",
        ] {
            here.ok(&format!("fit {data} {fit} -o many.json"));
            assert_eq!(here.read("many.json"), expected, "{data} --zone {zone}");
        }
    }
}

#[test]
fn what_fits_into_memory_can_have_any_recipe() {
    let here = Here::new();
    tables(&here, 2000);
    here.ok(&format!("fit one.csv {FIT} -o one.json"));
    here.ok(&format!("fit csv {FIT} -o many.json"));
    assert_eq!(here.read("many.json"), here.read("one.json"));
    let complaint = here.fails(1, &format!("fit csv {FIT} -o new.json --memory 100KB"));
    assert!(complaint.contains("the rows take about"), "{complaint}");
    assert!(complaint.contains("cannot be fitted in partitions yet"), "{complaint}");
    assert!(complaint.contains("--zone margin") && complaint.contains("--memory"), "{complaint}");
    let complaint = here.fails(
        1,
        &format!("fit csv {FIT} -o new.json --memory 100KB --hold-out 0.3 --accuracy 0.9"),
    );
    assert!(complaint.contains("ternwood calibrate"), "{complaint}");
    assert!(!here.path("new.json").exists());
}

#[test]
fn a_folder_is_predicted_file_by_file() {
    let here = Here::new();
    tables(&here, 600);
    here.ok(&format!("fit csv {FIT} --zone margin -o model.json"));
    here.ok("predict model.json one.csv -q -o one-answers.csv");
    let one = here.read("one-answers.csv");
    let without_file = |text: &str| -> Vec<String> {
        let line = |line: &str| line.split_once(',').unwrap().1.to_owned();
        text.lines().map(line).collect()
    };
    for data in ["csv", "csv/part-?.csv"] {
        here.ok(&format!("predict model.json {data} -q --force -o answers.csv"));
        let answers = here.read("answers.csv");
        assert!(answers.starts_with("file,prediction,"));
        assert_eq!(without_file(&answers), one.lines().collect::<Vec<_>>(), "{data}");
    }
    let of_one = here.ok("evaluate one.csv --model model.json -q --by ward");
    let of_many = here.ok("evaluate csv --model model.json -q --by ward");
    assert_eq!(of_many.replace("csv: ", "one.csv: "), of_one);
    let complaint = here.fails(1, "predict model.json nothing-*.csv");
    assert_eq!(complaint, "error: nothing-*.csv: there is no file like this\n");
}

/// A fit in many rounds; its temporary files go to the folder `scratch`.
fn slow_fit(here: &Here, more: &str) -> Command {
    let args = format!("fit csv {FIT} --zone margin --min-samples-leaf 3 --memory 200KB {more}");
    let args = args.replace("--max-depth 6", "--max-depth 14");
    here.command(&format!("{args} --scratch scratch -o out.json"))
}

#[test]
fn a_fit_that_was_stopped_goes_on() {
    let here = Here::new();
    tables(&here, 30_000);
    std::fs::create_dir(here.path("scratch")).unwrap();
    assert!(slow_fit(&here, "").status().unwrap().success());
    let expected = here.read("out.json");
    std::fs::remove_file(here.path("out.json")).unwrap();
    let mut goings_on = 0;
    for wanted in [1, 3] {
        let mut child = slow_fit(&here, "--resume state").stderr(Stdio::null()).spawn().unwrap();
        // Until it was saved a few times more.
        let mut saved = Vec::new();
        let begun = Instant::now();
        while saved.len() < wanted && child.try_wait().unwrap().is_none() {
            let state = std::fs::read(here.path("state")).unwrap_or_default();
            if !state.is_empty() && saved.last() != Some(&state) {
                saved.push(state);
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "nothing is saved");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        goings_on += usize::from(here.path("state").exists());
    }
    assert_eq!(goings_on, 2, "both runs were stopped in the middle");
    let mut command = slow_fit(&here, "--resume state");
    let args: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    command = here.command("");
    let output = command.args(args.iter().filter(|arg| *arg != "-q")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("going on after round"), "{said}");
    assert_eq!(here.read("out.json"), expected);
    assert!(!here.path("state").exists());
    // Where no state can be written, it is said before the first round.
    let output = slow_fit(&here, "--resume nowhere/state").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "error: nowhere/state: cannot write there: there is no such folder\n");
    // A state of another fit is refused.
    here.write("state", "something else");
    let output = slow_fit(&here, "--resume state").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("this is no state of a fit"), "{said}");
}

#[test]
fn a_killed_fit_leaves_nothing_behind() {
    let here = Here::new();
    tables(&here, 20_000);
    std::fs::create_dir(here.path("scratch")).unwrap();
    let uninterrupted = || {
        let begun = Instant::now();
        assert!(slow_fit(&here, "").status().unwrap().success());
        begun.elapsed()
    };
    let usual = uninterrupted().min(uninterrupted());
    let expected = here.read("out.json");
    std::fs::remove_file(here.path("out.json")).unwrap();
    let before = here.files();
    let mut early = 0;
    for kill in 0..20 {
        let mut child = slow_fit(&here, "").spawn().unwrap();
        // Early enough even if a run is faster than the two before. `faults.rs` kills at every moment.
        std::thread::sleep(usual.mul_f64(0.6 * f64::from(kill) / 20.0));
        child.kill().unwrap();
        child.wait().unwrap();
        if here.path("out.json").exists() {
            assert_eq!(here.read("out.json"), expected, "kill {kill}: half a model");
            std::fs::remove_file(here.path("out.json")).unwrap();
        } else {
            early += 1;
        }
        assert_eq!(here.files(), before, "kill {kill}");
        assert_eq!(std::fs::read_dir(here.path("scratch")).unwrap().count(), 0, "kill {kill}");
    }
    assert!(early >= 10, "only {early} kills came before the end");
}

#[test]
fn a_full_disk_is_told_with_the_remedy() {
    let here = Here::new();
    tables(&here, 4000);
    std::fs::create_dir(here.path("scratch")).unwrap();
    // Files may have a few kilobytes; a larger one is an error, as on a full disk.
    let fit = slow_fit(&here, "");
    let args: Vec<String> = fit.get_args().map(|arg| arg.to_str().unwrap().to_owned()).collect();
    let limited = format!(
        "trap '' XFSZ; ulimit -f 40; exec '{}' {}",
        env!("CARGO_BIN_EXE_ternwood"),
        args.join(" ")
    );
    let output =
        Command::new("sh").args(["-c", &limited]).current_dir(here.path("")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("scratch: there is no room for the temporary file"), "{said}");
    assert!(said.contains("--scratch") && said.contains("--reread"), "{said}");
    assert!(!here.path("out.json").exists());
}
