//! A model in a few lines.

use crate::growing::{leaves_in_words, routing_in_words, zone_in_words};
use crate::reading::counted;
use crate::report::percent;
use crate::style;
use ternwood::dataset::FeatureKind;
use ternwood::model::SingleTree;
use ternwood::model::ZoneMeaning;
use ternwood::recipe::{
    CandidateLoss, DepthGain, Exponent, ForestParams, Leaves, MaxFeatures, MissingValues, RowCount,
};
use ternwood::tree::CategoryCut;
use ternwood::words::CLASS_LEGEND;
use ternwood::{Ensemble, Feature, Model, Routing, Tree, VerdictPolicy, ZoneKind};

/// What there is to say about a model.
pub(crate) struct Summary {
    pub(crate) facts: Vec<Fact>,
    /// How well a forest answers with other zones.
    candidates: Option<String>,
    /// What its verdicts achieved on calibration rows, class by class, if they were set by such.
    pub(crate) achieved: Option<String>,
}

/// "classes of 'ill': no, yes".
pub(crate) struct Fact {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Fact {
    fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let [name, text] = [name.into(), text.into()].map(|part| style::one_line(&part));
        Self { name, text }
    }
}

impl Summary {
    /// Everything; with long lists unless they are to be `full`.
    pub(crate) fn of(model: &Model, full: bool) -> Self {
        let schema = model.schema();
        let classes: Vec<String> = schema.classes().iter().map(ToString::to_string).collect();
        let target = schema.target().map_or_else(String::new, |target| format!(" of '{target}'"));
        let mut facts = of_metadata(model);
        facts.extend([
            Fact::new(format!("classes{target}"), listed(&classes, ", ", full)),
            Fact::new("features", format!("{}{}", schema.n_features(), with_categories(model))),
        ]);
        facts.extend(of_tree(model));
        facts.extend(missing_values(model, full).map(|text| Fact::new("missing values", text)));
        for Feature { name, kind, .. } in tested_features(model) {
            match kind {
                FeatureKind::Number => {}
                FeatureKind::Categories(names) => {
                    let categories = listed(names, ", ", full);
                    facts.push(Fact::new(format!("categories of {name}"), categories));
                }
                FeatureKind::Ordered(names) => {
                    facts.push(Fact::new(format!("order of {name}"), listed(names, " < ", full)));
                }
            }
        }
        facts.push(of_policy(model));
        let is_forest = !model.ensemble().is_single();
        let candidates = is_forest.then(|| forest_candidates(model, full)).flatten();
        if is_forest {
            let important = forest_importances(model, full);
            facts.extend(important.map(|text| Fact::new("most important features", text)));
        }
        let version = model.ternwood_version();
        facts.extend(version.map(|it| Fact::new("fitted by", format!("ternwood {it}"))));
        Self { facts, candidates, achieved: achieved(model) }
    }

    /// What a fit has to say: the tree, its zones, what was chosen for them, and the verdict.
    pub(crate) fn of_fit(model: &Model) -> Self {
        let mut facts = of_metadata(model);
        facts.extend(of_tree(model));
        facts.push(of_policy(model));
        Self { facts, candidates: None, achieved: None }
    }

    /// The verdict policy, and its results.
    pub(crate) fn of_verdict(model: &Model) -> Self {
        Self { facts: vec![of_policy(model)], candidates: None, achieved: achieved(model) }
    }

    /// One paragraph per fact.
    pub(crate) fn text(&self) -> String {
        let facts: Vec<String> =
            self.facts.iter().map(|Fact { name, text }| format!("{name}: {text}")).collect();
        let lines = facts.iter().flat_map(|fact| fact.lines());
        let mut text: String = lines.map(|line| format!("{}\n", style::paragraph(line))).collect();
        if let Some(candidates) = &self.candidates {
            text += &format!(
                "zones that were tried, with the log-loss of rows out of bag:\n{candidates}"
            );
        }
        match &self.achieved {
            Some(achieved) => text + &table_of(achieved),
            None => text,
        }
    }

    /// What the verdicts achieved on calibration rows, class by class.
    pub(crate) fn achieved(model: &Model) -> String {
        achieved(model).map_or_else(String::new, |achieved| table_of(&achieved))
    }
}

fn table_of(achieved: &str) -> String {
    let lines = achieved.lines().map(|line| format!("{}\n", style::paragraph(line)));
    format!("{}{}", lines.collect::<String>(), style::dim(CLASS_LEGEND))
}

/// What people record about the model.
fn of_metadata(model: &Model) -> Vec<Fact> {
    model.metadata().in_words().map(|(name, text)| Fact::new(name, text)).collect()
}

/// The tree, its zones, and what was chosen for them.
fn of_tree(model: &Model) -> Vec<Fact> {
    let (name, size) = match model.ensemble().single() {
        Some(single) => ("tree", tree(single)),
        None => ("forest", forest_size(model.ensemble())),
    };
    let params = model.recipe().ensemble.forest();
    let facts = [
        Some(Fact::new(name, size)),
        params.map(|it| Fact::new("every tree", of_each_tree(it, model))),
        zones(model).map(|text| Fact::new("zones", text)),
        within_a_zone(model).map(|text| Fact::new("a row within a zone", text)),
        leaves(model).map(|text| Fact::new("leaves", text)),
        params.map(|it| Fact::new("answer", forest_answer(it))),
        chosen(model).map(|text| Fact::new("chosen", text)),
        model.depth_gain().map(|gain| Fact::new("best depth", best_depth(gain))),
    ];
    facts.into_iter().flatten().collect()
}

/// The only fact that may have several lines: one per promise.
fn of_policy(model: &Model) -> Fact {
    let text = model.verdict().described(model.schema().classes());
    Fact { name: "verdict".to_owned(), text }
}

/// What the signs in the text of a tree mean.
pub(crate) fn legend(model: SingleTree<'_>) -> Vec<String> {
    let tree = model.tree();
    let tests = || tree.ids().filter_map(|id| Some(&tree.node(id).as_split()?.test));
    let [undecided, and_undecided] = match model.verdict() {
        VerdictPolicy::Zones { .. } if model.routing() != Routing::Crisp => {
            ["; rows within the zone are undecided", ", and their rows undecided"]
        }
        _ => [""; 2],
    };
    let mut lines = Vec::new();
    if tests().any(|test| test.zone().is_some() && test.has_zone()) {
        lines.push(sign_in_words(model.zone_meaning(), undecided));
    }
    if tests().any(|test| test.categories().is_some_and(CategoryCut::has_zone)) {
        lines.push(format!(
            "cut at: categories are separated by their share of a class; those too near the cut \
             are unsure{and_undecided}."
        ));
    } else if tests().any(|test| test.categories().is_some()) {
        lines.push("cut at: categories are separated by their share of a class.".to_owned());
    }
    lines
}

/// What the zone of a test means.
fn sign_in_words(meaning: ZoneMeaning, undecided: &str) -> String {
    match meaning {
        ZoneMeaning::MeasurementError => format!("±: the measurement error, as given{undecided}."),
        ZoneMeaning::StandardError => {
            format!("±: the standard error of the threshold, by bootstrap{undecided}.")
        }
        ZoneMeaning::Blended => format!(
            "blended: between these values the answers of both sides are mixed, in shares{undecided}."
        ),
        ZoneMeaning::Uncertain => {
            format!("uncertain: between these values either side may be right{undecided}.")
        }
    }
}

/// The features that some test looks at.
fn tested_features(model: &Model) -> impl Iterator<Item = &Feature> {
    model.tested_features().into_iter().map(|index| &model.schema().features()[index])
}

/// ", 3 of them with categories".
fn with_categories(model: &Model) -> String {
    let features = model.schema().features();
    match features.iter().filter(|feature| !feature.kind.is_number()).count() {
        0 => String::new(),
        nominal => format!(", {nominal} of them with categories"),
    }
}

/// What the model does with missing values, unless every split learns their side.
fn missing_values(model: &Model, full: bool) -> Option<String> {
    let filled: Vec<String> = model.schema().features().iter().filter_map(fill).collect();
    if !filled.is_empty() {
        return Some(format!("become {}", listed(&filled, ", ", full)));
    }
    match model.recipe().params.missing {
        MissingValues::Learn => None,
        MissingValues::Unknown => Some("unknown at every test".to_owned()),
        MissingValues::Error => Some("an error".to_owned()),
    }
}

/// "age 45" or "smoker never": what replaces a missing value.
fn fill(feature: &Feature) -> Option<String> {
    let fill = feature.fill?;
    let is_rank = fill >= 0.0 && fill.fract() == 0.0;
    let name = feature.kind.names().get(fill as usize).filter(|_| is_rank);
    let value = name.map_or_else(|| fill.to_string(), String::clone);
    Some(format!("{} {value}", feature.name))
}

/// "5 tests, 6 leaves, depth 3".
fn tree(tree: &Tree) -> String {
    let leaves = tree.n_leaves();
    let tests = counted(tree.n_nodes() - leaves, "test");
    let leaves = if leaves == 1 { "1 leaf".to_owned() } else { format!("{leaves} leaves") };
    format!("{tests}, {leaves}, depth {}", tree.depth())
}

fn has_tests(model: &Model) -> bool {
    model.trees().iter().any(|tree| tree.n_nodes() > 1)
}

/// "margin (to the nearest row on the wrong side), times 1.6", if the tree has tests.
fn zones(model: &Model) -> Option<String> {
    if !has_tests(model) {
        return None;
    }
    let zone = &model.recipe().params.zone;
    let mut text = format!("{} ({})", zone.kind.as_str(), zone_in_words(&zone.kind));
    match zone.scale {
        1.0 => {}
        0.0 => text += ", times 0: none",
        scale => text += &format!(", times {}", (scale * 1e4).round() / 1e4),
    }
    if model.schema().has_categories() && zone.kind != ZoneKind::None {
        text += &match zone.category_error {
            0.0 => "; no category is unsure".to_owned(),
            1.0 => "; categories are unsure within 1 standard error of a cut".to_owned(),
            errors => format!("; categories are unsure within {errors} standard errors of a cut"),
        };
    }
    Some(text)
}

/// "goes both ways, in shares, ... (probabilistic routing)".
fn within_a_zone(model: &Model) -> Option<String> {
    let zone = &model.recipe().params.zone;
    let has_width =
        zone.scale > 0.0 || (model.schema().has_categories() && zone.category_error > 0.0);
    let has_zones = zone.kind != ZoneKind::None && has_width && has_tests(model);
    let routing = model.routing();
    has_zones.then(|| format!("{} ({routing} routing)", routing_in_words(routing)))
}

/// "em (...)", unless they answer with the class shares of their rows.
fn leaves(model: &Model) -> Option<String> {
    match model.recipe().leaves {
        Leaves::Counts => None,
        leaves => Some(format!("{leaves} ({})", leaves_in_words(leaves))),
    }
}

/// "scale 0.8, category error 2 and depth 4, by cross-validation (3 times 5 folds): log-loss
/// 0.4279, without zones 0.4931; lower is better".
fn chosen(model: &Model) -> Option<String> {
    if !model.ensemble().is_single() {
        return chosen_of_forest(model);
    }
    // A single row cannot be held out: there was nothing to choose by.
    let choice = model.choice().filter(|choice| choice.folds > 0)?;
    let (chosen, auto) = (model.chosen()?, model.recipe().auto);
    let mut parts = Vec::new();
    if auto.zone_scale {
        parts.push(format!("scale {}", chosen.zone_scale));
        parts.extend(chosen.category_error.map(|error| format!("category error {error}")));
    }
    let depth = chosen.max_depth.filter(|_| auto.max_depth.is_some());
    parts.extend(depth.map(|depth| format!("depth {depth}")));
    let has_zones = |candidate: &CandidateLoss| {
        candidate.zone_scale > 0.0 || candidate.category_error.is_some_and(|error| error > 0.0)
    };
    let mut others = choice.candidates.iter();
    let bare = others.find(|other| other.max_depth == chosen.max_depth && !has_zones(other));
    let bare = bare.filter(|_| has_zones(chosen));
    let beside = bare.map_or(String::new(), |bare| format!(", without zones {:.4}", bare.log_loss));
    Some(format!(
        "{}, by cross-validation ({} times {} folds): log-loss {:.4}{beside} (how wrong the \
         probabilities are: lower is better)",
        joined(&parts),
        choice.repeats,
        choice.folds,
        chosen.log_loss
    ))
}

/// "10, with about 134 leaves, would have a log-loss of 0.4069, 0.0241 less (--max-depth best)".
fn best_depth(gain: DepthGain) -> String {
    format!("{gain} (--max-depth best)")
}

fn achieved(model: &Model) -> Option<String> {
    let achieved = model.verdict().achieved()?;
    Some(achieved.report(model.schema().classes()))
}

/// "a, b and c".
pub(crate) fn joined(parts: &[String]) -> String {
    match parts {
        [first @ .., before_last, last] => {
            let first: String = first.iter().map(|part| format!("{part}, ")).collect();
            format!("{first}{before_last} and {last}")
        }
        _ => parts.concat(),
    }
}

/// All items, or the first dozen and the number of the rest.
fn listed(items: &[String], separator: &str, full: bool) -> String {
    const SHOWN: usize = 12;
    let more = items.len().saturating_sub(SHOWN);
    if full || more == 0 {
        return items.join(separator);
    }
    format!("{} and {more} more (--full lists them)", items[..SHOWN].join(separator))
}

// A forest in a few lines.

/// "100 trees of 41 to 63 nodes (5,234 in all), depth 7 to 12".
fn forest_size(forest: &Ensemble) -> String {
    let range = |of: fn(&Tree) -> usize| {
        let numbers = || forest.trees().iter().map(of);
        let (least, most) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        if least == most { most.to_string() } else { format!("{least} to {most}") }
    };
    let trees = counted(forest.trees().len(), "tree");
    let (nodes, depth) = (range(Tree::n_nodes), range(Tree::depth));
    format!("{trees} of {nodes} nodes ({} in all), depth {depth}", forest.n_nodes())
}

/// "grown on as many rows as there are, drawn with replacement; every test chooses among 5 of 30 features".
fn of_each_tree(params: ForestParams, model: &Model) -> String {
    let (recipe, n_features) = (model.recipe(), model.schema().n_features());
    let rows = match (params.bootstrap, params.max_samples) {
        (false, _) => "grown on all rows".to_owned(),
        (true, None) => "grown on as many rows as there are, drawn with replacement".to_owned(),
        (true, Some(RowCount::Count(count))) => {
            format!("grown on {}, drawn with replacement", counted(count as usize, "row"))
        }
        (true, Some(RowCount::Fraction(share))) => {
            format!("grown on {} of the rows, drawn with replacement", percent(Some(share)))
        }
    };
    let max_features = recipe.params.max_features;
    let features = match max_features {
        MaxFeatures::All => format!("all {n_features} features"),
        _ => format!("{} of {n_features} features", max_features.of(n_features)),
    };
    format!("{rows}; every test chooses among {features}")
}

/// "the mean of the trees, to the power 1.35".
fn forest_answer(params: ForestParams) -> String {
    match params.exponent {
        Exponent::Given(exponent) => {
            format!("the mean of the trees, to the power {}", rounded(exponent))
        }
        Exponent::Off | Exponent::Auto => "the mean of the trees".to_owned(),
    }
}

/// "scale 0.4 and exponent 1.35, by rows out of bag: log-loss 0.4279, without zones 0.4931 (...)".
fn chosen_of_forest(model: &Model) -> Option<String> {
    let choice = model.choice()?;
    let best = &choice.candidates[choice.place_of(model.recipe())?];
    let bare = choice.candidates.iter().find(|other| !has_zones(other)).filter(|_| has_zones(best));
    let beside = bare.map_or(String::new(), |bare| format!(", without zones {:.4}", bare.log_loss));
    Some(format!(
        "{}, by rows out of bag: log-loss {:.4}{beside} (how wrong the probabilities are: lower is \
         better)",
        joined(&of_candidate(best)),
        best.log_loss
    ))
}

fn has_zones(candidate: &CandidateLoss) -> bool {
    candidate.zone_scale > 0.0 || candidate.category_error.is_some_and(|error| error > 0.0)
}

fn of_candidate(candidate: &CandidateLoss) -> Vec<String> {
    let mut parts = vec![format!("scale {}", candidate.zone_scale)];
    parts.extend(candidate.category_error.map(|error| format!("category error {error}")));
    parts.extend(candidate.exponent.map(|exponent| format!("exponent {}", rounded(exponent))));
    parts
}

/// The best candidate of every scale, or all of them, with their out-of-bag log-loss, one per line; the chosen
/// one has a mark.
fn forest_candidates(model: &Model, full: bool) -> Option<String> {
    let choice = model.choice()?;
    let chosen = choice.place_of(model.recipe())?;
    let is_best = |candidate: &CandidateLoss| {
        let mut others = choice.candidates.iter();
        !others.any(|other| {
            other.zone_scale == candidate.zone_scale && other.log_loss < candidate.log_loss
        })
    };
    let with_errors = choice.candidates.iter().any(|candidate| candidate.category_error.is_some());
    let with_exponents = choice.candidates.iter().any(|candidate| candidate.exponent.is_some());
    let columns = |scale: &str, error: &str, exponent: &str, loss: &str| {
        let error = if with_errors { format!("{error:>16}") } else { String::new() };
        let exponent = if with_exponents { format!("{exponent:>10}") } else { String::new() };
        format!("  {scale:>10}{error}{exponent}{loss:>10}")
    };
    let mut text = columns("zone scale", "category error", "exponent", "log-loss") + "\n";
    for (index, candidate) in choice.candidates.iter().enumerate() {
        if !(full || index == chosen || is_best(candidate)) {
            continue;
        }
        let number = |number: Option<f64>| number.map_or("-".to_owned(), rounded);
        let (scale, error) = (rounded(candidate.zone_scale), number(candidate.category_error));
        let loss = format!("{:.4}", candidate.log_loss);
        text += &columns(&scale, &error, &number(candidate.exponent), &loss);
        text += if index == chosen { "  chosen\n" } else { "\n" };
    }
    Some(text)
}

/// "glucose 24.1 %, bmi 16.0 %, age 13.2 % and 5 more".
fn forest_importances(model: &Model, full: bool) -> Option<String> {
    const SHOWN: usize = 8;
    let features = model.schema().features();
    let mut shares: Vec<(f64, &str)> = model
        .ensemble()
        .importances()
        .into_iter()
        .zip(features.iter().map(|it| it.name.as_str()))
        .collect();
    shares.retain(|(share, _)| *share > 0.0);
    shares.sort_by(|a, b| b.0.total_cmp(&a.0));
    let shown = if full { shares.len() } else { SHOWN.min(shares.len()) };
    let named = |(share, name): &(f64, &str)| format!("{name} {}", percent(Some(*share)));
    let named: Vec<String> = shares[..shown].iter().map(named).collect();
    let more = match shares.len() - shown {
        0 => String::new(),
        more => format!(" and {more} more (--full lists them)"),
    };
    (!named.is_empty()).then(|| named.join(", ") + &more)
}

/// Up to four decimals.
fn rounded(number: f64) -> String {
    ((number * 1e4).round() / 1e4).to_string()
}
