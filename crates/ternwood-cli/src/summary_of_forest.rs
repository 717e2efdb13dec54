//! A forest in a few lines.

use crate::reading::counted;
use crate::report::percent;
use crate::summary::joined;
use ternwood::recipe::{CandidateLoss, Exponent, ForestParams, MaxFeatures, RowCount};
use ternwood::{Ensemble, Model, Tree};

/// "100 trees of 41 to 63 nodes (5,234 in all), depth 7 to 12".
pub(crate) fn size(forest: &Ensemble) -> String {
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
pub(crate) fn of_each_tree(params: ForestParams, model: &Model) -> String {
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
pub(crate) fn answer(params: ForestParams) -> String {
    match params.exponent {
        Exponent::Given(exponent) => {
            format!("the mean of the trees, to the power {}", rounded(exponent))
        }
        Exponent::Off | Exponent::Auto => "the mean of the trees".to_owned(),
    }
}

/// "scale 0.4 and exponent 1.35, by rows out of bag: log-loss 0.4279, without zones 0.4931 (...)".
pub(crate) fn chosen(model: &Model) -> Option<String> {
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
pub(crate) fn candidates(model: &Model, full: bool) -> Option<String> {
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
pub(crate) fn importances(model: &Model, full: bool) -> Option<String> {
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
