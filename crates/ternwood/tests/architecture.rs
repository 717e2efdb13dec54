//! Do imports go one way?
//!
//! Every module may use what the table below allows, and uses all of it: a reader can go through
//! the library from the first row to the last, and no dependency is circular.
//!
//! ```text
//! error <- exec <- dataset <- tree <- recipe <- predict <- metrics <- verdict <- training <- model <- export
//!                                             \- grow            (grow and predict do not meet)
//! words says it in sentences, and nothing but rules and export prints them; rules read a model leaf by leaf; fit joins grow, predict and model; partitions fits rows in many places; bayes_error measures data and models; check compares rows with what a model knows.
//! ```
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each module with the modules it uses.
const ALLOWED: [(&str, &[&str]); 21] = [
    ("error", &[]),
    ("exec", &["error"]),
    ("dataset", &["error", "exec"]),
    ("tree", &["error", "dataset"]),
    // Plain data, so that a model can hold its recipe without the learner.
    ("recipe", &["error", "dataset"]),
    // Growing and prediction share the tree and the recipe, but do not use each other.
    ("grow", &["error", "exec", "dataset", "tree", "recipe"]),
    // The rule for rows within zones.
    ("blend", &[]),
    ("predict", &["error", "exec", "dataset", "tree", "recipe", "blend"]),
    // Metrics measure predictions wherever they come from.
    ("metrics", &["error", "dataset", "predict"]),
    // Tests and intervals of plain numbers.
    ("stats", &[]),
    ("verdict", &["error", "dataset", "tree", "recipe", "predict", "metrics", "stats"]),
    // Whether rows are those of training.
    ("training", &["error", "exec", "dataset", "stats"]),
    // Trees and how they answer together.
    ("ensemble", &["error", "exec", "dataset", "tree", "recipe", "blend", "predict"]),
    // A model is read and used without anything that grows or fits.
    (
        "model",
        &[
            "error", "exec", "dataset", "tree", "recipe", "blend", "predict", "ensemble",
            "verdict", "training",
        ],
    ),
    (
        "check",
        &[
            "error", "exec", "dataset", "tree", "predict", "metrics", "stats", "verdict",
            "training", "model",
        ],
    ),
    // What all of that reads like. Only rules and exports print.
    (
        "words",
        &[
            "error", "dataset", "tree", "recipe", "predict", "metrics", "verdict", "training",
            "model", "check",
        ],
    ),
    ("rules", &["error", "exec", "dataset", "tree", "recipe", "model", "words"]),
    (
        "export",
        &[
            "error", "dataset", "tree", "recipe", "blend", "ensemble", "verdict", "model", "words",
            "rules",
        ],
    ),
    ("bayes_error", &["error", "exec", "dataset", "metrics", "model"]),
    (
        "fit",
        &[
            "error", "exec", "dataset", "tree", "recipe", "blend", "grow", "predict", "ensemble",
            "metrics", "stats", "verdict", "training", "model",
        ],
    ),
    // The same model from rows in many places.
    (
        "partitions",
        &["error", "exec", "dataset", "tree", "recipe", "grow", "training", "model", "fit"],
    ),
];

/// Each module inside `grow` with the modules of `grow` that it uses. Tests inside files may use others.
const ALLOWED_IN_GROW: [(&str, &[&str]); 20] = [
    ("deviation", &[]),
    ("stream", &[]),
    ("node_rows", &[]),
    ("summary", &[]),
    // What growing knows of a target; everything up to the searches and the loop is the same for all.
    ("target", &[]),
    ("training", &["target"]),
    ("search", &["node_rows", "stream", "summary", "target", "training"]),
    ("nodes", &["search", "stream", "summary", "target"]),
    (
        "node_loop",
        &["deviation", "node_rows", "nodes", "search", "stream", "summary", "target", "training"],
    ),
    ("prepared", &["search", "training"]),
    // The targets. None knows another.
    ("classes", &["search", "summary", "target", "training"]),
    ("real", &["search", "target", "training"]),
    // Zones are estimated with classes.
    ("evidence", &["classes", "search", "stream", "summary", "target"]),
    ("zones", &["classes", "deviation", "evidence", "node_loop", "search", "stream", "summary"]),
    ("neighbours", &["search", "target", "training"]),
    ("grown", &["classes", "evidence", "neighbours", "nodes", "search", "summary", "zones"]),
    ("split_view", &["classes", "evidence", "search", "stream", "zones"]),
    (
        "grower",
        &[
            "classes",
            "evidence",
            "grown",
            "node_loop",
            "nodes",
            "prepared",
            "search",
            "stream",
            "target",
            "training",
            "zones",
        ],
    ),
    (
        "pieces",
        &[
            "classes",
            "deviation",
            "evidence",
            "grower",
            "grown",
            "neighbours",
            "node_loop",
            "node_rows",
            "nodes",
            "search",
            "stream",
            "summary",
            "target",
            "training",
        ],
    ),
    ("mod", &[]),
];

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The modules named after `crate::`, in imports and in the code, but not in comments.
fn used_modules(source: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for rest in line.split("crate::").skip(1) {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            used.insert(rest[..end.unwrap_or(rest.len())].to_owned());
        }
    }
    used
}

/// The modules that every module uses, each with one file that does.
fn imports() -> BTreeMap<String, BTreeMap<String, PathBuf>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut imports: BTreeMap<String, BTreeMap<String, PathBuf>> = BTreeMap::new();
    for file in source_files(&source) {
        let name = file.strip_prefix(&source).unwrap();
        let module = name.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let of_module = imports.entry(module.to_owned()).or_default();
        for used in used_modules(&fs::read_to_string(&file).unwrap()) {
            if used != module {
                of_module.insert(used, name.to_owned());
            }
        }
    }
    imports
}

#[test]
fn imports_go_one_way() {
    let imports = imports();
    let modules: BTreeSet<&str> = imports.keys().map(String::as_str).collect();
    let ordered: BTreeSet<&str> = ALLOWED.iter().map(|(module, _)| *module).collect();
    assert_eq!(modules, ordered, "every module has its place in ALLOWED");
    for (module, allowed) in ALLOWED {
        let found = &imports[module];
        let too_many: Vec<_> =
            found.iter().filter(|(used, _)| !allowed.contains(&used.as_str())).collect();
        assert!(too_many.is_empty(), "{module} must not use {too_many:?}");
        let unused: Vec<_> = allowed.iter().filter(|&&used| !found.contains_key(used)).collect();
        assert!(unused.is_empty(), "{module} no longer uses {unused:?}: remove it from ALLOWED");
    }
}

#[test]
fn allowed_imports_are_not_circular() {
    for (position, (module, allowed)) in ALLOWED.iter().enumerate() {
        for used in *allowed {
            let at = ALLOWED.iter().position(|(known, _)| known == used).unwrap();
            assert!(at < position, "{module} may use {used}, which comes after it");
        }
    }
}

/// The modules of `grow` named in a file of it, but not in comments, nor in tests.
fn used_in_grow(name: &Path, source: &str) -> BTreeSet<String> {
    let source = source.split("mod tests {").next().unwrap();
    // In these files `super` is `grow`.
    let is_at_top = name.components().count() == 1 || name.ends_with("mod.rs");
    let is_at_top = is_at_top && name.components().count() <= 2;
    let mut paths = vec!["crate::grow::"];
    paths.extend(is_at_top.then_some("super::"));
    let mut used = BTreeSet::new();
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for path in &paths {
            for rest in line.split(path).skip(1) {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                used.insert(rest[..end.unwrap_or(rest.len())].to_owned());
            }
        }
    }
    used
}

#[test]
fn imports_inside_grow_go_one_way() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/grow");
    let modules: BTreeSet<&str> = ALLOWED_IN_GROW.iter().map(|(module, _)| *module).collect();
    let mut imports: BTreeMap<String, BTreeMap<String, PathBuf>> = BTreeMap::new();
    for file in source_files(&folder) {
        let name = file.strip_prefix(&folder).unwrap();
        let module = name.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let of_module = imports.entry(module.to_owned()).or_default();
        if name.file_stem().is_some_and(|stem| stem == "tests") || module == "mod" {
            continue;
        }
        for used in used_in_grow(name, &fs::read_to_string(&file).unwrap()) {
            // Others are items that `grow` re-exports, or that `super` stands for.
            if used != module && modules.contains(used.as_str()) {
                of_module.insert(used, name.to_owned());
            }
        }
    }
    let found: BTreeSet<&str> = imports.keys().map(String::as_str).collect();
    assert_eq!(found, modules, "every module of grow has its place in ALLOWED_IN_GROW");
    for (position, (module, allowed)) in ALLOWED_IN_GROW.iter().enumerate() {
        let used = &imports[*module];
        let too_many: Vec<_> =
            used.iter().filter(|(used, _)| !allowed.contains(&used.as_str())).collect();
        assert!(too_many.is_empty(), "grow/{module} must not use {too_many:?}");
        for allowed in *allowed {
            assert!(used.contains_key(*allowed), "grow/{module} no longer uses {allowed}");
            let at = ALLOWED_IN_GROW.iter().position(|(known, _)| known == allowed).unwrap();
            assert!(at < position, "grow/{module} may use {allowed}, which comes after it");
        }
    }
}

#[test]
fn used_modules_finds_imports_and_paths() {
    let source =
        "//! crate::model\nuse crate::error::Result;\nlet x = crate::tree::f(crate::dataset::g);";
    let used: Vec<String> = used_modules(source).into_iter().collect();
    assert_eq!(used, ["dataset", "error", "tree"]);
}

/// The string literals of a source file, without those of comments and of tests at its end.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let letters: Vec<char> = source.chars().collect();
    let starts = |at: usize, text: &str| {
        text.chars().eq(letters[at..].iter().copied().take(text.chars().count()))
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < letters.len() {
        if starts(at, "//") {
            at += letters[at..].iter().take_while(|&&letter| letter != '\n').count();
        } else if starts(at, "'\"'") || starts(at, "'\\\"'") {
            at += 3;
        } else if letters[at] == '"' {
            let hashes = letters[..at].iter().rev().take_while(|&&letter| letter == '#').count();
            let is_raw = at > hashes && letters[at - hashes - 1] == 'r';
            let end = if is_raw { format!("\"{}", "#".repeat(hashes)) } else { "\"".to_owned() };
            let mut text = String::new();
            at += 1;
            while at < letters.len() && !starts(at, &end) {
                at += usize::from(letters[at] == '\\' && !is_raw);
                text.extend(letters.get(at));
                at += 1;
            }
            found.push(text);
            at += end.len();
        } else {
            at += 1;
        }
    }
    found
}

/// What a text names that belongs to the command or to Python: an option, a verb, or a parameter with its value.
fn foreign_name(text: &str) -> Option<&str> {
    let is_word = |c: char| c.is_ascii_lowercase() || c == '_';
    let option = text.match_indices("--").find(|(at, _)| {
        let (before, after) = (&text[..*at], &text[at + 2..]);
        !before.ends_with(|c: char| c == '-' || c.is_alphanumeric())
            && after.starts_with(|c: char| c.is_ascii_lowercase())
    });
    let verb = text.match_indices("`ternwood ").next();
    let parameter = text.match_indices('=').find(|(at, _)| {
        let name = text[..*at].rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
        name.trim_matches('_').contains('_')
    });
    let at = option.or(verb).or(parameter)?.0;
    Some(text[at.saturating_sub(20)..].lines().next().unwrap_or_default())
}

#[test]
fn the_library_names_no_options_and_no_parameters() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for name in ["ternwood", "ternwood-table"] {
        let files = source_files(&crates.join(name).join("src"));
        assert!(files.len() > 20, "{name} has only {} files", files.len());
        for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
            let source = fs::read_to_string(file).unwrap();
            for text in literals(&source) {
                let found = foreign_name(&text);
                assert_eq!(found, None, "{}: a caller renders remedies", file.display());
            }
        }
    }
}

#[test]
fn names_of_callers_are_recognised() {
    let source = "// \"--no\"\nf('\"', \"say --drop x\", r#\"a \"b\" c\"#);\n#[cfg(test)]\nmod tests { \"--x\" }";
    assert_eq!(literals(source), ["say --drop x", "a \"b\" c"]);
    for foreign in ["say --drop x", "--drop", "what `ternwood fit` writes", "pass sample_weight=w"]
    {
        assert!(foreign_name(foreign).is_some(), "{foreign}");
    }
    for ours in ["a -- b", "--- ", "max_depth is 0", "label=\"x\"", "a_b >= 3", "the fold-out"] {
        assert_eq!(foreign_name(ours), None, "{ours}");
    }
}
