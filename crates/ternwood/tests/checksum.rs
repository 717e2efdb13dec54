//! Is a model file that is not as it was written refused, and nothing else?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;
use support::sample::Sample;
use support::{soak, tables};
use ternwood::model::Metadata;
use ternwood::recipe::ForestParams;
use ternwood::{ErrorKind, Exec, Model, Recipe, Routing, TreeParams};

/// A tree and a forest with tests of all kinds, weights and gaps.
static MODELS: LazyLock<[Model; 2]> = LazyLock::new(|| {
    let params = TreeParams { max_depth: Some(4), ..TreeParams::default() };
    let forest = ForestParams { n_trees: 3, ..ForestParams::default() };
    let mut recipe = Recipe { ensemble: forest.into(), ..Recipe::forest() };
    recipe.params.max_depth = Some(3);
    let table = tables::generated(3, 60, 3);
    [table.fit(&params, Routing::Probabilistic), table.fit_recipe(&recipe, &Exec::default())]
});

/// Every model in both kinds of file.
fn files() -> [Vec<u8>; 4] {
    let [tree, forest] = &*MODELS;
    let (json, arrays) =
        (|model: &Model| model.to_json().into_bytes(), |model: &Model| model.to_safetensors());
    [json(tree), arrays(tree), json(forest), arrays(forest)]
}

fn written_like(file: &[u8], model: &Model) -> Vec<u8> {
    if file.starts_with(b"{") { model.to_json().into_bytes() } else { model.to_safetensors() }
}

/// What is still read is the model that was written, to the last bit.
fn is_refused_or_the_same(file: &[u8], damaged: &[u8]) -> bool {
    Model::from_bytes(damaged).map_or(true, |model| written_like(file, &model) == file)
}

proptest! {
    #![proptest_config(soak::cases(3000))]

    #[test]
    fn a_flipped_bit_is_noticed(which in 0..4_usize, place in any::<prop::sample::Index>(), bit in 0..8_u8) {
        static FILES: LazyLock<[Vec<u8>; 4]> = LazyLock::new(files);
        let file = &FILES[which];
        let mut damaged = file.clone();
        damaged[place.index(file.len())] ^= 1_u8 << bit;
        prop_assert!(is_refused_or_the_same(file, &damaged));
    }
}

/// The same for every bit of a small file of each kind.
#[test]
fn every_bit_of_a_small_file_is_guarded() {
    let params = TreeParams { max_depth: Some(1), ..TreeParams::default() };
    let model = Sample::generated(2, 30, 2).fit(&params, Routing::Probabilistic).private();
    let mut metadata = Metadata::default();
    metadata.set("name", "Risk").unwrap();
    let model = model.with_metadata(metadata);
    for file in [model.to_json().into_bytes(), model.to_safetensors()] {
        let mut refused = 0;
        for bit in 0..8 * file.len() {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(is_refused_or_the_same(&file, &damaged), "bit {bit}");
            refused += usize::from(Model::from_bytes(&damaged).is_err());
        }
        // What remains is white space, and letters of a number beyond its precision.
        assert!(refused as f64 > 0.99 * 8.0 * file.len() as f64, "only {refused} are noticed");
    }
}

#[test]
fn white_space_and_order_are_not_content() {
    let model = &MODELS[0];
    let json = model.to_json();
    let document: Value = serde_json::from_str(&json).unwrap();
    let others = [
        json.replace('\n', "\r\n"),
        // In alphabetical order.
        serde_json::to_string(&document).unwrap(),
        serde_json::to_string_pretty(&document).unwrap(),
        format!("\u{feff}{json}\n\n"),
    ];
    for other in others {
        assert_eq!(&Model::from_json(&other).unwrap(), model);
    }
}

/// The definition in the description of the format.
#[test]
fn the_sum_is_that_of_the_file_without_its_line() {
    let sum =
        |bytes: &[u8]| Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect::<String>();
    let json = MODELS[0].to_json();
    let (lines, others): (Vec<&str>, Vec<&str>) =
        json.split_inclusive('\n').partition(|line| line.starts_with("  \"sha256\""));
    assert_eq!(lines, [format!("  \"sha256\": \"{}\",\n", sum(others.concat().as_bytes()))]);

    let file = MODELS[1].to_safetensors();
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let (header, arrays) = file[8..].split_at(length);
    let header = std::str::from_utf8(header).unwrap();
    let field = "\\\"sha256\\\":\\\"";
    let start = header.find(field).unwrap();
    let stored = &header[start + field.len()..][..64];
    let mut without = header[..start].to_owned() + &header[start + field.len() + 64 + 3..];
    without.truncate(without.trim_end().len());
    without += &" ".repeat(without.len().next_multiple_of(8) - without.len());
    let file = [&(without.len() as u64).to_le_bytes(), without.as_bytes(), arrays].concat();
    assert_eq!(stored, sum(&file));
}

#[test]
fn an_edited_file_is_read_only_if_that_is_accepted() {
    for file in files() {
        // Neither a name nor a number may change.
        let text = String::from_utf8_lossy(&file);
        let class = MODELS[0].schema().classes()[0].to_string();
        assert!(text.contains(&class));
        let (model, checksum) = Model::from_edited(&file).unwrap();
        assert!(checksum.holds() && checksum.check().is_ok());
        let stored = checksum.stored().unwrap().to_owned();

        let other = "0".repeat(64).into_bytes();
        let at = file.windows(64).position(|window| window == stored.as_bytes()).unwrap();
        let mut edited = file.clone();
        edited[at..at + 64].copy_from_slice(&other);
        let error = Model::from_bytes(&edited).unwrap_err();
        let expected =
            ErrorKind::Checksum { stored: Some("0".repeat(64)), computed: stored.clone() };
        assert_eq!(error.kind(), &expected);
        assert_eq!(
            error.to_string(),
            format!(
                "not a usable model file: it was damaged or edited: it states the SHA-256 {}, and \
                 its content has {stored}; restore the file, or accept the edit",
                "0".repeat(64)
            )
        );
        let (again, checksum) = Model::from_edited(&edited).unwrap();
        assert!(!checksum.holds());
        assert_eq!(again, model);
        // Written again, it is a file like any other.
        assert_eq!(written_like(&file, &again), file);
    }
}

#[test]
fn a_file_without_a_sum_is_read_only_if_that_is_accepted() {
    let json = MODELS[0].to_json();
    let (_, checksum) = Model::from_edited(json.as_bytes()).unwrap();
    let line = format!("  \"sha256\": \"{}\",\n", checksum.computed());
    let without = json.replace(&line, "");
    let error = Model::from_json(&without).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Checksum { stored: None, .. }), "{error}");
    assert!(error.to_string().contains("it does not state the SHA-256 of its content"), "{error}");
    let (model, checksum) = Model::from_edited(without.as_bytes()).unwrap();
    assert_eq!((checksum.stored(), model.to_json()), (None, json.clone()));
    for odd in ["", "abc", &"A".repeat(64), &"g".repeat(64), &"x".repeat(1 << 20)] {
        let text = json.replace(checksum.computed(), odd);
        let error = Model::from_json(&text).unwrap_err().to_string();
        assert!(
            error.ends_with("its \"sha256\" is not 64 hexadecimal digits in lower case"),
            "{error}"
        );
    }
}
