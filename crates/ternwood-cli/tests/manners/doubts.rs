//! Warnings about columns and targets that are not what they seem: the same from `look` and `fit`.

use crate::Here;

/// A table of 400 rows with these cells.
fn write(here: &Here, header: &str, cells: impl Fn(usize) -> String) {
    let rows = (0..400).map(|row| format!("{},{}\n", cells(row), row * row % 89));
    here.write("table.csv", &format!("{header},noise\n{}", rows.collect::<String>()));
}

/// The warnings of `fit`, which `look` has too, on one line each.
fn warnings(here: &Here, options: &str) -> Vec<String> {
    let fit = here.command(&format!("fit table.csv {options} -o model.json --force --max-depth 2"));
    let mut found = warnings_in(&output_of(fit));
    // Advice about the verdict is not about the table.
    found.retain(|warning| !warning.contains("of the rows are flagged"));
    let look = here.command(&format!("look table.csv {options} --all"));
    assert_eq!(warnings_in(&output_of(look)), found);
    found
}

/// What a command that succeeds prints, on either stream.
fn output_of(mut command: std::process::Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    format!("{}\n{}", text(&output.stdout), text(&output.stderr))
}

/// Paragraphs that begin with "warning: ", without line breaks.
fn warnings_in(text: &str) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix("warning: ") {
            Some(first) => warnings.push(first.to_owned()),
            None if inside && line.starts_with("  ") => {
                let last = warnings.last_mut().unwrap();
                *last += " ";
                *last += line.trim();
            }
            None => {}
        }
        inside = line.starts_with("warning: ") || inside && line.starts_with("  ");
    }
    warnings
}

fn class(row: usize) -> &'static str {
    ["no", "yes"][row * row % 101 % 2]
}

#[test]
fn many_categories_and_row_numbers_are_doubtful_until_confirmed() {
    let here = Here::new();
    let number = |row: usize| row + row / 3;
    write(&here, "plane,count,class", |row| {
        format!("N{},{},{}", row % 41, number(row), class(row))
    });
    let plane = "column 'plane' has 41 different texts in 400 rows, so most of them have too few rows \
                 to learn from; leave it out with --drop plane, or confirm it as categories with \
                 --nominal plane";
    let count = "column 'count' looks like row numbers, which say nothing about new rows; leave it \
                 out with --drop count, or confirm it as a number with --number count";
    assert_eq!(warnings(&here, "-t class"), [plane, count]);
    let none: [&str; 0] = [];
    assert_eq!(warnings(&here, "-t class --nominal plane --number count"), none);
    assert_eq!(warnings(&here, "-t class --drop plane,count"), none);
    write(&here, "plane,class", |row| format!("N{},{}", row % 40, class(row)));
    assert_eq!(warnings(&here, "-t class"), none, "10 rows each");
}

#[test]
fn a_column_that_tells_nearly_every_row_gives_the_target_away() {
    let here = Here::new();
    let wrong = |row: usize| if row == 7 { "odd" } else { class(row) };
    write(&here, "copy,class", |row| format!("is {},{}", class(row), class(row)));
    let copy = "column 'copy' alone tells 'class' in at least 99.9 % of the rows; is it the target in \
                other words, or known only afterwards? If so, leave it out with --drop copy";
    assert_eq!(warnings(&here, "-t class"), [copy]);
    write(&here, "copy,class", |row| format!("is {},{}", wrong(row + 1), class(row)));
    assert!(warnings(&here, "-t class").is_empty(), "of another row");
}

#[test]
fn doubtful_targets() {
    let here = Here::new();
    let only = |here: &Here| warnings(here, "-t y").join("\n");
    write(&here, "x,y", |row| format!("{},{}", row % 17, row * 3 % 214));
    assert_eq!(
        only(&here),
        "the target column 'y' has 214 classes in 400 rows; is it a number? Group its values into a \
         few classes first, or name another --target"
    );
    write(&here, "x,y", |row| format!("{},{}", row % 17, row % 40));
    assert_eq!(only(&here), "", "40 classes of 10 rows each");
    write(&here, "x,y", |row| {
        format!("{},{}", row % 17, if row == 5 { "rare" } else { class(row) })
    });
    assert_eq!(
        only(&here),
        "the target column 'y' has a single row of the class 'rare', which cannot be both learned \
         from and tested; add rows, merge the class with another one, or remove the row"
    );
    write(&here, "x,y", |row| format!("{},same", row % 17));
    assert!(only(&here).contains("'y' is 'same' in every row, so there is nothing to tell apart"));
}

/// A table in pieces has the same warnings, as far as one pass of notes can tell.
#[test]
fn tables_larger_than_memory_have_the_warnings_that_counts_allow() {
    let here = Here::new();
    write(&here, "plane,y", |row| format!("N{},{}", row % 41, row % 30));
    let found = warnings_in(&output_of(
        here.command("fit table.csv -t y -o model.json --memory 64M --max-depth 2 --zone none"),
    ));
    assert_eq!(found.len(), 1, "30 classes of 13 rows are not too many: {found:#?}");
    assert!(found[0].starts_with("column 'plane' has 41 different texts in 400 rows"));
}
