//! Is a damaged or hostile safetensors file refused, with an error that says why, and never worse?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use serde_json::{Value, json};
use support::tables;
use ternwood::recipe::ForestParams;
use ternwood::{Exec, Model, Recipe};

/// A small forest with tests of every kind, and its file.
fn small() -> (Model, Vec<u8>) {
    let forest = ForestParams { n_trees: 3, ..ForestParams::default() };
    let mut recipe = Recipe { ensemble: forest.into(), ..Recipe::forest() };
    recipe.params.max_depth = Some(3);
    let model = tables::generated(3, 40, 3).fit_recipe(&recipe, &Exec::default()).private();
    let bytes = model.to_safetensors();
    (model, bytes)
}

/// The header of a file, and its arrays.
fn parts(file: &[u8]) -> (Value, Vec<u8>) {
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    (serde_json::from_slice(&file[8..8 + length]).unwrap(), file[8 + length..].to_vec())
}

fn joined(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

/// The small file with another header.
fn with_header(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (mut header, data) = parts(&small().1);
    change(&mut header);
    joined(&header.to_string(), &data)
}

/// The small file with other bytes in one number of an array.
fn with_number(array: &str, index: usize, number: &[u8]) -> Vec<u8> {
    let (header, mut data) = parts(&small().1);
    let start = header[array]["data_offsets"][0].as_u64().unwrap() as usize;
    data[start + index * number.len()..][..number.len()].copy_from_slice(number);
    joined(&header.to_string(), &data)
}

fn problem(file: &[u8]) -> String {
    let problem = Model::from_bytes(file).unwrap_err().to_string();
    problem.strip_prefix("not a usable model file: ").expect("the file is to blame").to_owned()
}

#[track_caller]
fn check(file: &[u8], expected: &str) {
    let found = problem(file);
    assert!(found.contains(expected), "{found:?} does not say {expected:?}");
}

#[test]
fn the_small_file_has_all_arrays() {
    let (model, file) = small();
    assert_eq!(Model::from_bytes(&file).unwrap(), model);
    let (header, _) = parts(&file);
    for array in ["kind", "missing", "cut_axis", "cut_direction", "class_weights", "place_rows"] {
        assert!(header.get(array).is_some(), "no {array} in {header}");
    }
}

#[test]
fn a_file_that_was_cut_is_refused() {
    let (_, file) = small();
    for length in 0..file.len() {
        assert!(Model::from_bytes(&file[..length]).is_err(), "{length} of {}", file.len());
    }
    let longer = [file.as_slice(), b"x"].concat();
    check(&longer, "is the file complete?");
}

/// Whatever one byte becomes: an error, or a model that can be written and read.
#[test]
fn a_damaged_byte_is_refused_or_makes_another_model() {
    let (_, file) = small();
    let (mut refused, mut read) = (0, 0);
    for place in 0..file.len() {
        for damage in [0x01, 0x80, 0xff] {
            let mut damaged = file.clone();
            damaged[place] ^= damage;
            match Model::from_edited(&damaged) {
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().starts_with("not a usable model file: "), "{error}");
                }
                Ok((model, _)) => {
                    read += 1;
                    let again = Model::from_bytes(&model.to_safetensors()).unwrap();
                    assert_eq!(again, model, "byte {place}");
                }
            }
        }
    }
    assert!(refused > 1000 && read > 1000, "{refused} were refused and {read} read");
}

/// The content tells the kind of file, whatever its first bytes look like.
#[test]
fn the_kind_of_a_file_is_told_by_its_content() {
    let (model, file) = small();
    let (header, data) = parts(&file);
    // A header whose length begins with the letters of a text: white space and a brace.
    let length = usize::from(u16::from_le_bytes(*b" {"));
    let padded = format!("{header}{:1$}", "", length - header.to_string().len());
    let file = joined(&padded, &data);
    assert!(file.starts_with(b" {"));
    assert_eq!(Model::from_bytes(&file).unwrap(), model);
    let json = format!("        {}", model.to_json());
    assert_eq!(Model::from_bytes(json.as_bytes()).unwrap(), model);
    check(b"", "EOF while parsing");
    check(b"nonsense", "it is not a JSON object");
    check(b"\xff\xff", "it is neither safetensors nor text: byte 0 is not UTF-8");
}

#[test]
fn headers_that_lie() {
    let lengths = [u64::MAX, u64::MAX - 7, 1 << 62, 1 << 30];
    for length in lengths {
        let mut file = small().1;
        file[..8].copy_from_slice(&length.to_le_bytes());
        let error = Model::from_safetensors(&file).unwrap_err().to_string();
        assert!(error.contains("it ends within its header"), "{error}");
    }
    let of = |field: &'static str, value: Value| {
        with_header(move |header| header["impurity"][field] = value)
    };
    check(&of("dtype", json!("I64")), "\"impurity\" is of I64 with shape");
    check(&of("dtype", json!("X64")), "unknown variant `X64`");
    check(&of("data_offsets", json!([3, 2])), "invalid offset for tensor `impurity`");
    check(&of("data_offsets", json!([-1, 2])), "invalid value: integer `-1`");
    check(&of("shape", json!([u64::MAX, 2])), "overflow");
    check(&of("shape", json!([])), "invalid shape");
    check(&of("stride", json!(8)), "unknown field `stride`");
    // Offsets whose sum with the length of the header is more than fits.
    let huge = (1_u64 << 61) - 8;
    let arrays: Vec<String> = (0..8)
        .map(|i| {
            let (start, end) = (i * huge, (i + 1) * huge);
            format!(
                "\"a{i}\":{{\"dtype\":\"U8\",\"shape\":[{huge}],\"data_offsets\":[{start},{end}]}}"
            )
        })
        .collect();
    let header = format!("{{\"__metadata__\":{{\"ternwood\":\"\"}},{}}}", arrays.join(","));
    check(&joined(&header, b""), "its arrays take");
}

#[test]
fn names_that_are_wrong() {
    let (header, data) = parts(&small().1);
    let named = |array: &str| {
        let info = &header[array];
        let twice = header.to_string().replacen('{', &format!("{{\"{array}\":{info},"), 1);
        joined(&twice, &data)
    };
    check(&named("feature"), "\"feature\" occurs twice");
    check(&named("__metadata__"), "\"__metadata__\" occurs twice");
    let renamed = |from: &str, to: &str| {
        joined(
            &header.to_string().replace(&format!("\"{from}\":{{\"d"), &format!("\"{to}\":{{\"d")),
            &data,
        )
    };
    for required in ["tree_nodes", "feature", "impurity", "class_rows", "right", "cut_axis"] {
        check(&renamed(required, "x"), &format!("it has no array \"{required}\""));
    }
    let end = data.len();
    let empty =
        format!("{{\"mising\":{{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[{end},{end}]}},");
    check(
        &joined(&header.to_string().replacen('{', &empty, 1), &data),
        "unknown array \"mising\"; did a newer ternwood write it?",
    );
    check(&with_header(|header| header["__metadata__"] = json!({"a": "b"})), "must have one text");
    check(&with_header(|header| header["__metadata__"] = json!({"ternwood": 7})), "invalid type");
    check(&with_header(|header| header["__metadata__"]["b"] = json!("c")), "must have one text");
    let text = |text: &str| with_header(|header| header["__metadata__"]["ternwood"] = json!(text));
    check(&text("{}"), "it has no \"format\"");
    check(&text("x"), "expected value at line 1 column 1");
    let both = with_header(|header| {
        let ours = header["__metadata__"]["ternwood"].as_str().unwrap();
        let both = ours.replacen('{', "{\"tree\":{\"nodes\":[]},", 1);
        header["__metadata__"]["ternwood"] = json!(both);
    });
    check(&both, "its header has nodes, which belong into arrays");
}

#[test]
fn numbers_that_cannot_be() {
    let nan = f64::NAN.to_le_bytes();
    let index = {
        // The first split of the first tree that tests a threshold.
        let (model, _) = small();
        let mut tests = model.trees().iter().flat_map(|tree| {
            tree.ids().filter_map(|id| tree.node(id).as_split().map(|split| split.test.zone()))
        });
        tests.position(|zone| zone.is_some()).unwrap()
    };
    check(&with_number("threshold", index, &nan), "the threshold is NaN");
    check(&with_number("half_width", index, &(-1.0_f64).to_le_bytes()), "the half-width is -1");
    check(&with_number("impurity", 0, &nan), "tree 0: node 0: the impurity is NaN");
    check(&with_number("feature", 0, &99_i32.to_le_bytes()), "feature 99 is out of range");
    check(&with_number("feature", 0, &(-2_i32).to_le_bytes()), "its feature is -2; a leaf has -1");
    check(&with_number("feature", 0, &(-1_i32).to_le_bytes()), "numbers, and");
    check(&with_number("right", 0, &0_u32.to_le_bytes()), "node 0: its right child is 0, but");
    check(&with_number("right", 0, &u32::MAX.to_le_bytes()), "but preorder puts it at");
    check(&with_number("rows_within", 0, &u32::MAX.to_le_bytes()), "rows are within its zone");
    check(&with_number("missing", 0, &[9]), "its missing is 9; there are 0, 1 and 2");
    check(&with_number("kind", index, &[9]), "its kind is 9; there are 0, 1 and 2");
    check(&with_number("tree_nodes", 0, &u32::MAX.to_le_bytes()), "nodes by \"tree_nodes\"");
    check(&with_number("cut_places", 0, &u32::MAX.to_le_bytes()), "\"place_category\" has");
    check(&with_number("cut_axis", 0, &(-7_i32).to_le_bytes()), "directions need");
    check(&with_number("place_position", 0, &nan), "lies at NaN");
    // One node more for the first tree and one less for the second.
    let (model, file) = small();
    let nodes = |tree: usize| model.trees()[tree].n_nodes() as u32;
    let (header, mut data) = parts(&file);
    let start = header["tree_nodes"]["data_offsets"][0].as_u64().unwrap() as usize;
    data[start..start + 4].copy_from_slice(&(nodes(0) + 1).to_le_bytes());
    data[start + 4..start + 8].copy_from_slice(&(nodes(1) - 1).to_le_bytes());
    check(&joined(&header.to_string(), &data), "tree 0: node");
}

#[test]
fn what_the_recipe_says_must_hold() {
    let recipe = |from: &str, to: &str| {
        with_header(|header| {
            let ours = header["__metadata__"]["ternwood"].as_str().unwrap();
            assert!(ours.contains(from), "{from} is not in {ours}");
            header["__metadata__"]["ternwood"] = json!(ours.replace(from, to));
        })
    };
    check(&recipe("\"n_trees\":3", "\"n_trees\":4"), "the list of trees has length 3");
    check(&recipe("{\"given\":", "{\"giben\":"), "unknown variant `giben`");
    check(&recipe("\"version\":1", "\"version\":2"), "its version is 2");
    check(
        &recipe("\"kind\":\"spread\"", "\"kind\":{\"cost_optimal\":{\"cost_ratio\":0.3}}"),
        "cost_optimal",
    );
}
