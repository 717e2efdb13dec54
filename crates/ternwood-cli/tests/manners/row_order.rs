//! The order of rows in a table changes neither models nor figures.

use crate::Here;

/// Every record of a table, in orders that have nothing to do with each other; some records twice.
fn orders(csv: &str) -> Vec<String> {
    let (header, records) = csv.split_once('\n').unwrap();
    let mut records: Vec<&str> = records.lines().collect();
    let copies: Vec<&str> = records.iter().step_by(5).copied().collect();
    records.extend(copies);
    let n = records.len();
    let mut orders = vec![(0..n).collect::<Vec<usize>>(), (0..n).rev().collect()];
    // Every k-th record, round and round: each once if k and n have no common divisor.
    let steps =
        (2..n).filter(|&step| (2..=step).all(|d| !(step.is_multiple_of(d) && n.is_multiple_of(d))));
    orders.extend(steps.step_by(7).take(3).map(|step| (0..n).map(|i| i * step % n).collect()));
    let mut sorted: Vec<usize> = (0..n).collect();
    sorted.sort_by_key(|&row| records[row]);
    orders.push(sorted);
    let text = |order: &Vec<usize>| {
        let records = order.iter().map(|&row| format!("{}\n", records[row]));
        format!("{header}\n{}", records.collect::<String>())
    };
    orders.iter().map(text).collect()
}

/// What a command prints and writes, for every order of the table's rows.
fn outputs(table: &str, command: &str, file: Option<&str>) -> Vec<(String, Option<Vec<u8>>)> {
    let here = Here::new();
    let run = |csv: &String| {
        here.write("rows.csv", csv);
        let printed = here.ok(command);
        (printed, file.map(|name| std::fs::read(here.path(name)).unwrap()))
    };
    orders(&here.read(table)).iter().map(run).collect()
}

fn assert_all_equal(table: &str, command: &str, file: Option<&str>) {
    let found = outputs(table, command, file);
    assert!(found.len() >= 5);
    for other in &found[1..] {
        assert!(other.0 == found[0].0, "ternwood {command}:\n{}\n{}", found[0].0, other.0);
        assert!(other.1 == found[0].1, "ternwood {command} writes other bytes");
    }
}

#[test]
fn fitted_models_have_the_same_bytes() {
    // The second has missing values and categories.
    for (table, drop) in [("held-out.csv", "--drop id"), ("visits.csv", "")] {
        for options in [
            "",
            "--zone node_bootstrap",
            "--zone cost_optimal --cost-ratio 0.3",
            "--hold-out 0.3 --flag-rate 0.2",
            "--hold-out 0.3 --stratify --flag-rate 0.2",
            "--zone margin --bayes-scale --max-depth 3",
        ] {
            let command =
                format!("fit rows.csv --target ill {drop} {options} -q -o model.json --force");
            assert_all_equal(table, &command, Some("model.json"));
        }
        for options in
            ["", "--flag-rate 0.2", "--hold-out 0.3 --flag-rate 0.2", "--max-leaf-nodes 5"]
        {
            let command = format!(
                "fit rows.csv --target ill {drop} --forest 20 {options} -q -o forest.safetensors --force"
            );
            assert_all_equal(table, &command, Some("forest.safetensors"));
        }
    }
}

#[test]
fn cross_validation_measures_the_same() {
    for (table, options) in [
        ("held-out.csv", "--drop id"),
        ("held-out.csv", "--drop id --flag-rate 0.2 --by smoker"),
        ("held-out.csv", "--drop id --forest 10 --costs 1,5"),
        ("visits.csv", "--zones all --max-depth 2 --bayes"),
    ] {
        let command = format!("evaluate rows.csv --target ill {options} --cv 4 --format json");
        assert_all_equal(table, &command, None);
    }
}
