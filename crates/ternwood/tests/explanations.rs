//! Do explanations of categories and missing values say what is so, in words a person understands?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ternwood::recipe::MissingValues;
use ternwood::tree::{Axis, CategoryCut, CategoryPlace, Missing, Test, TreeBuilder, Zone};
use ternwood::verdict::Uncovered;
use ternwood::{
    ClassName, Columns, Dataset, Exec, Feature, Learner, Model, Recipe, Routing, Schema,
    TreeParams, UNKNOWN, VerdictPolicy,
};

const MISSING: f64 = f64::NAN;

fn place(category: u32, rows: u32, position: f64) -> CategoryPlace {
    // The standard error of METHOD's section 9, for two classes.
    let q = (position * f64::from(rows) + 0.5) / f64::from(rows + 1);
    let standard_error = (q * (1.0 - q) / f64::from(rows + 1)).sqrt();
    CategoryPlace { category, rows, position, standard_error }
}

fn jobs() -> Test {
    let places = vec![place(0, 120, 0.1), place(1, 3, 1.0 / 3.0), place(3, 89, 0.75)];
    Test::of_categories(0, CategoryCut::new(Axis::ClassShare(1), 0.41, 2.0, places).unwrap())
}

fn schema(classes: &[&str]) -> Schema {
    let features = vec![
        Feature::categories("job", ["clerk", "pilot", "nurse", "miner"]),
        Feature::number("glucose"),
        Feature::ordered("education", ["none", "Bachelors", "Masters", "PhD"]),
    ];
    Schema::new(features, classes.iter().map(|&class| ClassName::from(class)).collect()).unwrap()
}

/// The same model, which judges rows that its training table does not cover.
fn judging(model: Model) -> Model {
    model.with_verdict(VerdictPolicy::Zones { uncovered: Uncovered::Judge }).unwrap()
}

/// A single test above a leaf of 130 rows and one of 82, in the middle one of 3.
fn stump(test: &Test, recipe: Recipe) -> Model {
    let three = recipe.routing == Routing::HardMiddle;
    let mut builder = if three { TreeBuilder::three_child(3, 2) } else { TreeBuilder::new(3, 2) };
    builder.split_by(test);
    builder.leaf(&[110.0, 20.0]);
    if three {
        builder.leaf(&[2.0, 1.0]);
    }
    builder.leaf(&[20.0, 62.0]);
    judging(Model::new(builder.finish().unwrap(), schema(&["healthy", "ill"]), recipe).unwrap())
}

fn routed(routing: Routing) -> Recipe {
    Recipe { routing, ..Recipe::default() }
}

fn sentence(model: &Model, row: &[f64]) -> String {
    model.explain(row).unwrap().reason().unwrap_or_default()
}

/// The line of the only test.
fn step(model: &Model, row: &[f64]) -> String {
    let report = model.explain(row).unwrap().to_string();
    report.lines().find_map(|line| line.strip_prefix("  node 0: ")).unwrap().to_owned()
}

#[test]
fn a_category_near_the_cut_says_how_few_rows_it_has() {
    let model = stump(&jobs(), routed(Routing::Probabilistic));
    assert_eq!(
        sentence(&model, &[1.0, 0.0, 0.0]),
        "Flagged because job 'pilot' (3 rows, 33 % ill, standard error 24 %) lies within 2 standard errors of the cut \
         at 41 %."
    );
    assert_eq!(
        step(&model, &[1.0, 0.0, 0.0]),
        "job 'pilot' is UNSURE: 3 rows, 33 % ill, standard error 24 %, cut at 41 % (-0.16 half-widths from the cut)"
    );
    assert_eq!(sentence(&model, &[0.0, 0.0, 0.0]), "");
    assert_eq!(
        step(&model, &[0.0, 0.0, 0.0]),
        "job 'clerk' is on the left: 120 rows, 10 % ill, standard error 3 %, cut at 41 % (-5.60 half-widths from the cut)"
    );
    let crisp = stump(&jobs(), routed(Routing::Crisp));
    assert_eq!(
        step(&crisp, &[3.0, 0.0, 0.0]),
        "job 'miner' is on the right: 89 rows, 75 % ill, standard error 5 %, cut at 41 %"
    );
}

#[test]
fn a_category_that_did_not_occur_is_unknown() {
    let named = |name: &str, model: &Model| {
        let explained = model.explain(&[4.0, 0.0, 0.0]).unwrap().with_unseen(0, name);
        explained.reason().unwrap()
    };
    let model = stump(&jobs(), routed(Routing::Probabilistic));
    // Of all training rows of the model, but not at this test; and never.
    assert_eq!(
        sentence(&model, &[2.0, 0.0, 0.0]),
        "Flagged because job 'nurse' did not occur among the 212 training rows of this test."
    );
    assert_eq!(
        named("K9", &model),
        "Flagged because job 'K9' did not occur among the 212 training rows of this test."
    );
    assert_eq!(
        sentence(&model, &[4.5, 0.0, 0.0]),
        "Flagged because the category of job did not occur among the 212 training rows of this test."
    );
    // 130 of 212 rows go left.
    assert_eq!(
        step(&model, &[2.0, 0.0, 0.0]),
        "job 'nurse' is UNKNOWN: 61.3 % of it goes left, 38.7 % right"
    );
    let crisp = stump(&jobs(), routed(Routing::Crisp));
    assert_eq!(
        step(&crisp, &[2.0, 0.0, 0.0]),
        "job 'nurse' is UNKNOWN: goes left, to the heavier child"
    );
    let middle = stump(&jobs(), routed(Routing::HardMiddle));
    assert_eq!(step(&middle, &[2.0, 0.0, 0.0]), "job 'nurse' is UNKNOWN: goes to the middle");

    // Where rare categories count as unseen, "did not occur" would be untrue.
    let mut recipe = routed(Routing::Probabilistic);
    recipe.params.min_samples_category = 5;
    assert_eq!(
        sentence(&stump(&jobs(), recipe), &[2.0, 0.0, 0.0]),
        "Flagged because job 'nurse' did not occur 5 times among the 212 training rows of this test."
    );
}

#[test]
fn a_missing_value_is_unknown_or_goes_its_learned_way() {
    let glucose = Test::new(1, Zone::new(127.0, 1.1).unwrap());
    let row = [0.0, MISSING, 0.0];
    let model = stump(&glucose, routed(Routing::Probabilistic));
    assert_eq!(
        sentence(&model, &row),
        "Flagged because glucose is missing, and this test never saw a missing value."
    );
    assert_eq!(
        step(&model, &row),
        "glucose is UNKNOWN (missing): 61.3 % of it goes left, 38.7 % right"
    );
    // Here it may have seen some, but none taught it anything.
    let mut recipe = routed(Routing::Probabilistic);
    recipe.params.missing = MissingValues::Unknown;
    assert_eq!(
        sentence(&stump(&glucose, recipe), &row),
        "Flagged because glucose is missing, and this tree learned nothing from missing values."
    );

    let learned = stump(&glucose.with_missing(Missing::Right), routed(Routing::Probabilistic));
    assert_eq!(sentence(&learned, &row), "");
    assert_eq!(step(&learned, &row), "glucose is missing, which goes right here");
    let present = stump(&Test::is_present(1), routed(Routing::Probabilistic));
    assert_eq!(step(&present, &row), "glucose is missing, which goes right here");
    assert_eq!(
        step(&present, &[0.0, 126.4, 0.0]),
        "glucose 126.4 is present, which goes left here"
    );
    let present = stump(&Test::is_present(0), routed(Routing::Probabilistic));
    assert_eq!(step(&present, &[1.0, 0.0, 0.0]), "job 'pilot' is present, which goes left here");
}

#[test]
fn ordered_categories_have_names_and_ranks() {
    let education = |half_width| Test::new(2, Zone::new(1.5, half_width).unwrap());
    let model = stump(&education(1.5), routed(Routing::Probabilistic));
    assert_eq!(
        sentence(&model, &[0.0, 0.0, 2.0]),
        "Flagged because education 'Masters' lies within 1.5 ranks of the cut between Bachelors and Masters."
    );
    assert_eq!(
        step(&model, &[0.0, 0.0, 2.0]),
        "education 'Masters' is WITHIN 1.5 ranks of the cut between Bachelors and Masters \
         (+0.33 half-widths from the cut)"
    );
    let narrow = stump(&education(1.0), routed(Routing::Probabilistic));
    assert!(sentence(&narrow, &[0.0, 0.0, 1.0]).contains("lies within 1 rank of the cut"));
    assert_eq!(
        step(&narrow, &[0.0, 0.0, 3.0]),
        "education 'PhD' is above the cut between Bachelors and Masters (+1.50 half-widths from the cut)"
    );
    let explained = model.explain(&[0.0, 0.0, UNKNOWN]).unwrap().with_unseen(2, "MBA");
    assert_eq!(
        explained.reason().unwrap(),
        "Flagged because education 'MBA' has no rank among none, Bachelors, Masters, PhD."
    );
}

#[test]
fn what_cannot_be_read_says_so() {
    let glucose = Test::new(1, Zone::new(127.0, 1.0).unwrap()).with_missing(Missing::Left);
    let model = stump(&glucose, routed(Routing::Probabilistic));
    let row = [0.0, UNKNOWN, 0.0];
    assert_eq!(sentence(&model, &row), "Flagged because glucose could not be read.");
    assert_eq!(step(&model, &row), "glucose is UNKNOWN: 61.3 % of it goes left, 38.7 % right");
    let explained = model.explain(&row).unwrap().with_unseen(1, "12?5");
    assert_eq!(explained.reason().unwrap(), "Flagged because glucose '12?5' could not be read.");
    assert!(explained.to_string().contains("  node 0: glucose '12?5' is UNKNOWN: "), "{explained}");
    // Whether there is a value cannot be told either.
    let present = stump(&Test::is_present(1), routed(Routing::Crisp));
    assert_eq!(sentence(&present, &row), "Flagged because glucose could not be read.");
    // Of a category, its name says more.
    let jobs = stump(&jobs().with_missing(Missing::Right), routed(Routing::Probabilistic));
    let explained = jobs.explain(&[UNKNOWN, 0.0, 0.0]).unwrap();
    assert_eq!(explained.reason().unwrap(), "Flagged because job could not be read.");
    assert_eq!(
        explained.with_unseen(0, "cook").reason().unwrap(),
        "Flagged because job 'cook' did not occur among the 212 training rows of this test."
    );
}

/// Three classes whose categories lie on a line through class space.
#[test]
fn an_axis_between_two_classes_is_told_by_its_ends() {
    let place =
        |category, rows, position| CategoryPlace { category, rows, position, standard_error: 0.17 };
    let places = vec![place(0, 40, -0.6), place(1, 4, 0.1), place(3, 50, 0.6)];
    let axis = Axis::Direction(vec![0.8, -0.7, -0.1]);
    let test = Test::of_categories(0, CategoryCut::new(axis, 0.2, 2.0, places).unwrap());
    let mut builder = TreeBuilder::new(3, 3);
    builder.split_by(&test);
    builder.leaf(&[2.0, 30.0, 12.0]);
    builder.leaf(&[40.0, 5.0, 5.0]);
    let tree = builder.finish().unwrap();
    let model = |classes: &[&str]| {
        Model::new(tree.clone(), schema(classes), routed(Routing::Probabilistic)).unwrap()
    };
    // (0.1 + 0.7) / 1.5 = 53 %, (0.2 + 0.7) / 1.5 = 60 %.
    assert_eq!(
        sentence(&model(&["setosa", "virginica", "other"]), &[1.0, 0.0, 0.0]),
        "Flagged because job 'pilot' (4 rows, 53 % of the way from virginica to setosa, standard error 11 %) lies \
         within 2 standard errors of the cut at 60 %."
    );
    let sentence = sentence(&model(&["0", "1", "2"]), &[1.0, 0.0, 0.0]);
    assert!(
        sentence.contains("53 % of the way from class 1 to class 0, standard error 11 %)"),
        "{sentence}"
    );
}

#[test]
fn names_stay_on_their_line_and_are_cut_short() {
    let long = "a job that nobody would call by such a long name, or would they?";
    let features = vec![Feature::categories("the\njob", ["two\nlines", long, "c"])];
    let classes = vec![ClassName::from(">50K\n"), ClassName::from("<=50K\n")];
    let schema = Schema::new(features, classes).unwrap();
    let places = vec![place(0, 3, 0.2), place(1, 3, 0.6)];
    let cut = CategoryCut::new(Axis::ClassShare(1), 0.4, 2.0, places).unwrap();
    let mut builder = TreeBuilder::new(1, 2);
    builder.split_by(&Test::of_categories(0, cut));
    builder.leaf(&[3.0, 1.0]);
    builder.leaf(&[1.0, 3.0]);
    let model = Model::new(builder.finish().unwrap(), schema, Recipe::default()).unwrap();
    assert_eq!(
        sentence(&model, &[0.0]),
        "Flagged because the\\njob 'two\\nlines' (3 rows, 20 % of class <=50K\\n, standard error 22 %) lies \
         within 2 standard errors of the cut at 40 %."
    );
    assert!(sentence(&model, &[1.0]).contains("'a job that nobody would call by such a…' ("));
    for row in [[0.0], [1.0], [2.0], [MISSING]] {
        let report = model.explain(&row).unwrap().to_string();
        // The class, the sentence, the test and two leaves.
        assert_eq!(report.lines().count(), 5, "{report}");
    }
}

/// A pilot goes both ways at the first test; on the right no test ever saw a pilot, which says
/// nothing new. Nor does a missing value at the second test of a feature.
#[test]
fn a_reason_that_follows_from_another_is_not_named() {
    let miners = vec![place(0, 70, 0.1), place(3, 80, 0.9)];
    let miners = CategoryCut::new(Axis::ClassShare(1), 0.5, 2.0, miners).unwrap();
    let mut builder = TreeBuilder::new(3, 2);
    builder.split_by(&jobs());
    builder.leaf(&[110.0, 20.0]);
    builder.split_by(&Test::of_categories(0, miners));
    builder.split_by(&Test::new(1, Zone::new(127.0, 1.1).unwrap()));
    builder.leaf(&[60.0, 10.0]);
    builder.split_by(&Test::new(1, Zone::new(150.0, 1.1).unwrap()));
    builder.leaf(&[10.0, 40.0]);
    builder.leaf(&[10.0, 20.0]);
    builder.leaf(&[10.0, 40.0]);
    let schema = schema(&["healthy", "ill"]);
    let model =
        Model::new(builder.finish().unwrap(), schema, routed(Routing::Probabilistic)).unwrap();
    let model = judging(model);
    let explained = model.explain(&[1.0, MISSING, 0.0]).unwrap();
    assert_eq!(explained.explanation().reasons().count(), 4);
    assert_eq!(
        explained.reason().unwrap(),
        "Flagged because job 'pilot' (3 rows, 33 % ill, standard error 24 %) lies within 2 standard errors of \
         the cut at 41 % \
         and glucose is missing, and this test never saw a missing value."
    );
}

/// Jobs by whether their share of the ill is low or high, and one between; some glucose missing.
fn patients() -> Dataset {
    let (mut job, mut glucose, mut ill) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..240u32 {
        job.push(f64::from(row % 4));
        ill.push(u32::from(
            [row % 9 == 0, row % 3 != 0, row % 2 == 0, row % 5 != 0][row as usize % 4],
        ));
        glucose.push(if row % 6 == 0 { MISSING } else { f64::from(90 + row * 37 % 80) });
    }
    let columns = [job, glucose, vec![0.0; 240]].concat();
    let columns = Columns::from_columns(columns, 3).unwrap();
    Dataset::with_schema(columns, ill, schema(&["healthy", "ill"])).unwrap()
}

/// Every test that flags a row is named, and every named reason flags it.
#[test]
fn explanations_of_fitted_trees_agree_with_predictions() {
    let data = patients();
    let rows: Vec<[f64; 3]> = [0.0, 1.0, 2.0, 3.0, 9.0, MISSING]
        .into_iter()
        .flat_map(|job| [80.0, 120.0, MISSING].map(|glucose| [job, glucose, 0.0]))
        .collect();
    for missing in [MissingValues::Learn, MissingValues::Unknown] {
        for routing in Routing::ALL {
            let params = TreeParams { max_depth: Some(4), missing, ..TreeParams::default() };
            let model =
                Learner::new(params, routing).unwrap().fit(&data, &Exec::default()).unwrap();
            let model = judging(model);
            for row in &rows {
                let explained = model.explain(row).unwrap();
                let undecided = explained.explanation().verdict.is_undecided();
                let reasons = explained.explanation().reasons().count();
                assert_eq!(undecided, reasons > 0, "{explained}");
                let report = explained.to_string();
                let marked = [" is WITHIN ", " is UNSURE", " is UNKNOWN"];
                let lines = report.lines().filter(|line| marked.iter().any(|m| line.contains(m)));
                assert_eq!(lines.count(), reasons, "{report}");
                assert_eq!(report.matches("Flagged because").count(), usize::from(undecided));
                assert!(!report.contains("NaN") && !report.contains("inf"), "{report}");
            }
        }
    }
}
