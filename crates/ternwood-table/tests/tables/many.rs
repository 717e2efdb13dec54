//! Many files make the schema and the rows of one file that has all their rows.

use ternwood_table::{
    EncodeOptions, ManyTables, MissingPolicy, ReadAs, ReadOptions, Source, Warning, encode,
    read_table,
};

const HEADER: &str = "id,count,age,share,day,ward,flag,late,empty,code,rare,weight,ill\n";

/// A row with a column of every kind; some kinds show themselves only in late rows.
fn row(row: usize, n_rows: usize) -> String {
    let is_late = row + 1 == n_rows;
    let fields = [
        format!("{}", 1000 + 7 * row),
        format!("{}", n_rows - row),
        if row % 5 == 2 { String::new() } else { format!("{}", (row * 37 % 50) as f64 / 4.0) },
        format!("{}%", row % 90),
        format!("{:02}.{:02}.2020", row % 28 + 1, row % 12 + 1),
        ["north", "south", "west"][row * 7 % 3].to_owned(),
        ["True", "false"][row % 2].to_owned(),
        if is_late { "unknown?".to_owned() } else { format!("{}", row % 9) },
        String::new(),
        format!("{}", [10, 9, 2][row % 3]),
        // Only a row that does not count has it.
        if row == 3 { "lonely".to_owned() } else { "usual".to_owned() },
        if row == 3 { "0".to_owned() } else { format!("{}", 1 + row % 4) },
        if row % 11 == 5 { String::new() } else { ["no", "yes"][row * 13 % 7 / 4].to_owned() },
    ];
    fields.join(",") + "\n"
}

fn options() -> ReadOptions {
    ReadOptions::new().column("code", ReadAs::Nominal)
}

/// One file, and the same rows in files that end at `ends`.
fn files(n_rows: usize, ends: &[usize]) -> (Source, Vec<Source>) {
    let text = |rows: std::ops::Range<usize>| {
        let rows = rows.map(|at| row(at, n_rows)).collect::<String>();
        (HEADER.to_owned() + &rows).into_bytes()
    };
    let starts = [0].into_iter().chain(ends.iter().copied());
    let parts = starts.zip(ends.iter().copied().chain([n_rows]));
    let parts = parts
        .enumerate()
        .map(|(at, (from, to))| Source::bytes(format!("part-{at}.csv"), text(from..to)));
    (Source::bytes("all.csv", text(0..n_rows)), parts.collect())
}

#[test]
fn many_files_are_learnt_and_encoded_like_one() {
    for ends in [&[][..], &[30], &[1, 2, 60], &[100, 119]] {
        let (one, many) = files(120, ends);
        let mut table = read_table(&one, &options()).unwrap();
        table.drop_rows_without_class("ill").unwrap();
        let weights = table.take_column("weight").unwrap();
        let ternwood_table::Values::Numeric(weights) = weights.values() else { panic!() };
        let encoded = encode(
            table,
            "ill",
            EncodeOptions { weights: Some(weights), ..EncodeOptions::default() },
        )
        .unwrap();
        let many = ManyTables::new(many, options(), "ill", Some("weight".to_owned()))
            .dropping_unlabelled(true);
        let mut read = 0;
        let learned = many.learn(MissingPolicy::Keep, |rows| read += rows).unwrap();
        let expected = &encoded.dataset;
        assert_eq!(learned.schema, **expected.schema(), "{ends:?}");
        assert_eq!(learned.rows, expected.n_rows() as u64);
        assert!(read >= 120);
        // Columns that are kept but doubtful are not looked for in many files.
        let left_out = |warnings: &[Warning]| -> Vec<String> {
            let leaves_out = |warning: &&Warning| {
                matches!(
                    warning,
                    Warning::Identifier { .. }
                        | Warning::NumericIdentifier { .. }
                        | Warning::EmptyColumn { .. }
                )
            };
            let columns = warnings.iter().filter(leaves_out).filter_map(Warning::column);
            columns.map(str::to_owned).collect()
        };
        assert_eq!(left_out(&learned.warnings), left_out(&encoded.warnings));
        assert!(left_out(&learned.warnings).len() >= 2);
        let (mut rows, mut labels, mut found_weights) = (Vec::new(), Vec::new(), Vec::new());
        for chunk in many.chunks(&learned, 17) {
            let chunk = chunk.unwrap();
            rows.extend((0..chunk.columns.n_rows()).map(|row| chunk.columns.row(row)));
            labels.extend(chunk.labels);
            found_weights.extend(chunk.weights.unwrap());
        }
        assert_eq!(labels, expected.labels());
        assert_eq!(&found_weights, weights);
        for (at, row) in rows.iter().enumerate() {
            let bits = |row: &[f64]| row.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(row), bits(&expected.columns().row(at)), "row {at}");
        }
    }
}

#[test]
fn numbers_that_are_classes_keep_their_type() {
    let file = |name: &str, text: &str| Source::bytes(name, text.as_bytes());
    let one = file("all.csv", "x,y\n1,10\n2,9\n5,2\n4,10\n");
    let parts = vec![file("a.csv", "x,y\n1,10\n"), file("b.csv", "x,y\n2,9\n5,2\n4,10\n")];
    let expected = read_table(&one, &ReadOptions::new()).unwrap();
    let expected = encode(expected, "y", EncodeOptions::default()).unwrap().dataset;
    let many = ManyTables::new(parts, ReadOptions::new(), "y", None);
    let learned = many.learn(MissingPolicy::Keep, |_| ()).unwrap();
    assert_eq!(learned.schema, **expected.schema());
    let labels: Vec<u32> =
        many.chunks(&learned, 100).flat_map(|chunk| chunk.unwrap().labels).collect();
    assert_eq!(labels, expected.labels());
}

#[test]
fn files_with_other_columns_are_refused() {
    let file = |name: &str, text: &str| Source::bytes(name, text.as_bytes());
    let problem = |second: &str| {
        let parts = vec![file("a.csv", "x,y\n1,a\n"), file("b.csv", second)];
        let many = ManyTables::new(parts, ReadOptions::new(), "y", None);
        many.learn(MissingPolicy::Keep, |_| ()).unwrap_err().to_string()
    };
    assert!(problem("z,y\n1,a\n").starts_with("b.csv: there is no column 'x'"));
    assert_eq!(
        problem("x,y,z\n1,a,2\n"),
        "b.csv: there is a column 'z', which a.csv does not have; give all files the same columns"
    );
}

#[test]
fn a_late_word_among_numbers_is_named() {
    let numbers: String = (0..50).map(|row| format!("{},{}\n", row % 5, row % 2)).collect();
    let first = Source::bytes("a.csv", format!("size,ill\n{numbers}").into_bytes());
    let second = Source::bytes("b.csv", format!("size,ill\n7,1\nlarge,0\n{numbers}").into_bytes());
    let many = ManyTables::new(vec![first, second], ReadOptions::new(), "ill", None);
    let learned = many.learn(MissingPolicy::Keep, |_| {}).unwrap();
    let warnings: Vec<String> = learned.warnings.iter().map(ToString::to_string).collect();
    assert!(
        warnings[0].starts_with(
            "b.csv, line 3, column 'size': 'large' is not a number, so the column has categories, \
             although 101 of its 102 values are numbers"
        ),
        "{warnings:?}"
    );
}

#[test]
fn files_of_different_formats_are_refused() {
    let csv = Source::bytes("a.csv", b"size,ill\n1,0\n2,1\n".to_vec());
    let arff = "@relation r\n@attribute size numeric\n@attribute ill {0,1}\n@data\n1,0\n";
    let arff = Source::bytes("b.arff", arff.as_bytes().to_vec());
    let many = ManyTables::new(vec![csv, arff], ReadOptions::new(), "ill", None);
    let error = many.learn(MissingPolicy::Keep, |_| {}).unwrap_err().to_string();
    assert_eq!(
        error,
        "a.csv and b.arff have different formats; give files of one format, by a pattern such as \
         'data/*.csv'"
    );
}

/// The second reading has the limit of the first.
#[test]
fn long_fields_are_read_twice_if_they_are_allowed() {
    let text = |start: usize| {
        let rows = start..start + 40;
        let long = "x".repeat(5_000);
        let rows = rows.map(|row| format!("{row}.5,{long},{}\n", ["no", "yes"][row % 2]));
        ("a,note,ill\n".to_owned() + &rows.collect::<String>()).into_bytes()
    };
    let read = |options: ReadOptions| {
        let sources = (0..2).map(|part| Source::bytes(format!("{part}.csv"), text(40 * part)));
        let many = ManyTables::new(sources.collect(), options.drop(["note"]), "ill", None);
        let learned = many.learn(MissingPolicy::Keep, |_| ()).map_err(|error| error.to_string())?;
        let rows = many.chunks(&learned, 7).map(|chunk| chunk.map(|chunk| chunk.labels.len()));
        rows.sum::<Result<usize, _>>().map_err(|error| error.to_string())
    };
    assert_eq!(read(ReadOptions::new().max_field(6_000)), Ok(80));
    let error = read(ReadOptions::new().max_field(4_096)).unwrap_err();
    assert!(error.contains("the field is longer than 4 KiB"), "{error}");
    // The limit of the options, not the usual one.
    let huge = |options: ReadOptions| {
        let text = format!("a,note,ill\n1,{},no\n2,x,yes\n", "x".repeat(2 << 20)).into_bytes();
        let sources = vec![Source::bytes("0.csv", text)];
        let many = ManyTables::new(sources, options.drop(["note"]), "ill", None);
        let learned = many.learn(MissingPolicy::Keep, |_| ()).unwrap();
        many.chunks(&learned, 7)
            .map(|chunk| chunk.map(|chunk| chunk.labels.len()))
            .sum::<Result<usize, _>>()
    };
    assert_eq!(huge(ReadOptions::new().max_field(4 << 20)).unwrap(), 2);
}
