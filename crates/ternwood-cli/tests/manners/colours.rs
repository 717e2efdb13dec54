//! Colours on terminals only; results do not depend on threads.

use crate::Here;

#[test]
fn no_colours_without_a_terminal() {
    let here = Here::new();
    here.ok("fit patients.csv --target ill --drop id -q -o model.json");
    let show = |variable: Option<&str>| {
        let mut command = here.command("show model.json");
        if let Some(variable) = variable {
            command.env(variable, "1");
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let plain = show(None);
    assert!(!plain.contains('\u{1b}'), "a pipe gets no colours");
    assert_eq!(show(Some("NO_COLOR")), plain);
    let coloured = show(Some("CLICOLOR_FORCE"));
    assert!(coloured.contains('\u{1b}'), "colours can be asked for");
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
}

#[test]
fn threads_do_not_change_results() {
    let here = Here::new();
    for threads in ["1", "2", "5"] {
        let model = format!("model{threads}.json");
        here.ok(&format!(
            "fit patients.csv --target ill --drop id --zone node_bootstrap --seed 3 -q \
             -o {model} --threads {threads}"
        ));
        assert_eq!(here.read(&model), here.read("model1.json"), "{threads} threads");
    }
    let evaluate = "evaluate patients.csv --target ill --drop id --cv 5 --zones all --threads";
    assert_eq!(here.ok(&format!("{evaluate} 1")), here.ok(&format!("{evaluate} 4")));
}

#[test]
fn seeds_change_random_results() {
    let here = Here::new();
    for seed in ["1", "2"] {
        here.ok(&format!(
            "fit patients.csv --target ill --drop id --zone node_bootstrap --seed {seed} -q \
             -o model{seed}.json"
        ));
    }
    let half_widths = |name: &str| {
        let table = here.ok(&format!("export {name} --to csv"));
        let half_width = |line: &str| line.split(',').nth(4).map(str::to_owned);
        table.lines().filter_map(half_width).collect::<Vec<_>>()
    };
    assert_ne!(half_widths("model1.json"), half_widths("model2.json"));
}
