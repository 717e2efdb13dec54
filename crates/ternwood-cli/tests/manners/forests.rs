//! Forests go through every verb, in both kinds of file.

use crate::Here;

const FIT: &str = "fit patients.csv -t ill --drop id --forest 20 -q";

#[test]
fn the_name_tells_the_kind_of_file_and_its_content_how_to_read_it() {
    let here = Here::new();
    for name in ["f.safetensors", "f.model", "f.json"] {
        here.ok(&format!("{FIT} -o {name}"));
    }
    let bytes = |name: &str| std::fs::read(here.path(name)).unwrap();
    assert_eq!(bytes("f.safetensors"), bytes("f.model"));
    assert!(here.read("f.json").contains("\"forest\": {\"trees\": ["));
    std::fs::rename(here.path("f.json"), here.path("json.safetensors")).unwrap();
    std::fs::rename(here.path("f.safetensors"), here.path("arrays.json")).unwrap();
    for args in ["show MODEL", "predict MODEL new.csv --explain", "explain MODEL new.csv --row 2"] {
        let of = |model: &str| here.ok(&args.replace("MODEL", model));
        assert_eq!(of("json.safetensors"), of("arrays.json"), "{args}");
    }
    here.ok("export json.safetensors -o again.safetensors");
    assert_eq!(bytes("again.safetensors"), bytes("f.model"));
    here.ok("export f.model -o again.json");
    assert_eq!(bytes("again.json"), bytes("json.safetensors"));
    here.ok("fit patients.csv -t ill --drop id --max-depth 2 -q -o tree.safetensors");
    here.ok("fit patients.csv -t ill --drop id --max-depth 2 -q -o tree.json");
    assert_eq!(here.ok("show tree.safetensors"), here.ok("show tree.json"));
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let here = Here::new();
    let with = |threads: u32| {
        here.ok(&format!("{FIT} --threads {threads} --force -o f.safetensors"));
        std::fs::read(here.path("f.safetensors")).unwrap()
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}

#[test]
fn one_tree_is_written_in_every_format() {
    let here = Here::new();
    here.ok(&format!("{FIT} -o f.safetensors"));
    for (verb, ending, part) in [
        ("show", "txt", "tree: "),
        ("show", "svg", "<svg"),
        ("show", "html", "<html"),
        ("export", "dot", "digraph"),
        ("export", "csv", "node,"),
        ("export", "json", "\"tree\": {"),
    ] {
        here.ok(&format!("{verb} f.safetensors --tree 20 -o tree.{ending}"));
        let shown = here.read(&format!("tree.{ending}"));
        assert!(shown.contains(part), "{ending}: {shown}");
    }
    here.ok("explain tree.json new.csv --row 2");
    here.fails(2, "show f.safetensors --tree 0");
    for (args, writes) in [
        ("show f.safetensors -o forest.svg", "svg shows"),
        ("export f.safetensors -o forest.dot", "--to dot writes"),
    ] {
        let complaint = here.fails(2, args);
        let expected = format!(
            "{writes} a single tree, and the model is a forest of 20; choose one of them with --tree N"
        );
        assert!(complaint.contains(&expected), "{complaint}");
    }
    assert!(!here.path("forest.svg").exists() && !here.path("forest.dot").exists());
    let complaint = here.fails(2, "show tree.json --tree 1");
    assert!(complaint.contains("--tree is for forests"), "{complaint}");
}

#[test]
fn rows_out_of_bag_calibrate_as_they_did_in_the_fit() {
    let here = Here::new();
    here.ok(&format!("{FIT} --flag-rate 0.25 -o fitted.safetensors"));
    here.ok(&format!("{FIT} -o plain.safetensors"));
    here.ok("calibrate plain.safetensors patients.csv --cross-fit --flag-rate 0.25 -q -o later.safetensors");
    let bytes = |name: &str| std::fs::read(here.path(name)).unwrap();
    assert_eq!(bytes("fitted.safetensors"), bytes("later.safetensors"));
    assert!(here.ok("show later.safetensors").contains("(out of bag, approximate)"));
    let refused =
        here.fails(1, "calibrate plain.safetensors patients.csv --flag-rate 0.2 -o x.safetensors");
    assert!(refused.contains("with --cross-fit"), "{refused}");
}

#[test]
fn a_row_is_drawn_with_what_makes_trees_undecided() {
    let here = Here::new();
    here.ok(&format!("{FIT} -o f.safetensors"));
    here.ok("explain f.safetensors new.csv --row 2 --figure why.svg");
    let picture = here.read("why.svg");
    assert!(picture.contains("Row 2 (new.csv, line 3)"), "{picture}");
    // What the forest answers with other values.
    assert!(picture.contains(" % at "), "{picture}");
    here.fails(2, "explain f.safetensors new.csv --row 2,3 --figure both.svg");
    here.fails(1, "explain f.safetensors new.csv --row 2 --figure why.svg");
    assert_eq!(here.read("why.svg"), picture);
}

#[test]
fn every_verb_takes_a_forest() {
    let here = Here::new();
    here.ok(&format!("{FIT} -o f.safetensors"));
    assert!(here.ok("evaluate held-out.csv --model f.safetensors").contains("spread"));
    here.ok("evaluate held-out.csv --model f.safetensors --report report.html -q");
    assert!(here.read("report.html").contains("20 trees of"));
    assert!(
        here.ok("evaluate patients.csv -t ill --drop id --cv 3 --forest 5")
            .contains("none (forest)")
    );
    assert!(here.ok("check f.safetensors held-out.csv").contains("it holds"));
    assert!(here.ok("calibrate f.safetensors held-out.csv --table").contains('%'));
    let flags = here.ok("predict f.safetensors new.csv --explain");
    assert!(flags.contains("of 20 trees are undecided: "), "{flags}");
}

#[test]
fn a_forest_too_large_to_serve_is_refused_unless_forced() {
    let here = Here::new();
    let rows = (0..12_000_u64).map(|row| {
        let mixed = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        format!("{},{},{}\n", mixed % 9_973, mixed % 7_919, mixed % 3)
    });
    here.write("noise.csv", &format!("a,b,class\n{}", rows.collect::<String>()));
    here.ok("fit noise.csv -t class --forest 40 --zone none -q -o f.safetensors");
    let error = here.fails(1, "export f.safetensors -o f.onnx");
    let remedy = "serve the model file itself, or fit fewer or smaller trees; --force-large writes it anyway";
    assert!(error.contains(" nodes, and more than 200000 are slow to load; "), "{error}");
    assert!(error.replace("\n  ", " ").contains(remedy), "{error}");
    assert!(!here.path("f.onnx").exists());
    here.ok("export f.safetensors -o f.onnx --force-large");
    let error = here.fails(2, "export f.safetensors -o f.json --force-large");
    assert!(error.contains("--force-large is for --to onnx"), "{error}");
}
