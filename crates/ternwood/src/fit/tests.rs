//! The inner workings against the obvious way of doing it: fit every candidate from scratch on
//! copies of the rows, and blend row by row.

use super::by_recipe::FitRows;
use super::by_recipe::{Fitted, fit};
use super::choose::{Chosen, DEPTHS, FOLDS, SCALES};
use super::leaf_em::{Mixture, smoothed};
use crate::dataset::{Columns, Dataset, DatasetView, Labels, RowSubset, Shuffle};
use crate::exec::Exec;
use crate::metrics::ClassTally;
use crate::predict::{Verdict, Walker};
use crate::recipe::{
    Auto, CandidateLoss, DepthChoice, Leaves, Recipe, Routing, TreeParams, ZoneKind,
};
use crate::tree::{NodeId, Tree, most_probable};
use crate::verdict::{Achieved, CalibrationSource};
use proptest::prelude::*;

/// Three features, noisy classes, by a rule that needs no random numbers.
fn data(n: u32, n_classes: u32) -> Dataset {
    let wave = |i: u32, step: u32| f64::from(i * step % 101) / 10.0;
    let columns = [37, 23, 59].map(|step| (0..n).map(move |i| wave(i, step)));
    let class = |i: u32| {
        let side = u32::from(wave(i, 37) > 5.0) + u32::from(wave(i, 23) + wave(i, 59) > 11.0);
        if i * 7 % 11 < 3 { i % n_classes } else { side % n_classes }
    };
    let ids = (0..n).map(class).collect();
    let names = (0..n_classes).map(Into::into).collect();
    let columns = Columns::from_columns(columns.into_iter().flatten().collect(), 3).unwrap();
    Dataset::new(columns, Labels::from_ids(ids, names).unwrap()).unwrap()
}

fn fitted(data: &Dataset, recipe: Recipe) -> Fitted {
    fit(&data.into(), &recipe.check().unwrap(), &Exec::default()).unwrap()
}

/// The tree of the paper's method.
fn plain_tree(data: &Dataset, params: &TreeParams, routing: Routing) -> Tree {
    fitted(data, Recipe { params: params.clone(), routing, ..Recipe::default() }).tree
}

/// The share of a row in every leaf, by following it and taking notes.
fn shares(tree: &Tree, routing: Routing, row: &[f64]) -> Vec<f64> {
    let leaves: Vec<NodeId> = tree.leaf_ids().collect();
    let mut shares = vec![0.0; leaves.len()];
    for reached in Walker::new(tree, routing).unwrap().explain(row).leaves {
        shares[leaves.iter().position(|&leaf| leaf == reached.leaf).unwrap()] += reached.share;
    }
    shares
}

/// A row that is blended: its share in every leaf, its class and its weight.
struct NaiveRow {
    gate: Vec<f64>,
    class: usize,
    weight: f64,
}

/// The same as EM sees it: what a split would divide off that is less than a thousandth of the row
/// stays with the rest.
fn shares_in_em(tree: &Tree, routing: Routing, row: &[f64]) -> Vec<f64> {
    if routing != Routing::Probabilistic {
        return shares(tree, routing, row);
    }
    let mut shares = Vec::new();
    let mut waiting = vec![(NodeId::ROOT, 1.0)];
    while let Some((node, share)) = waiting.pop() {
        let Some(split) = tree.node(node).as_split() else {
            shares.push(share);
            continue;
        };
        let left = share * split.test.left_share(row[split.test.feature().index()]);
        let left = match left {
            _ if left < 0.001 => 0.0,
            _ if share - left < 0.001 => share,
            _ => left,
        };
        waiting.extend([(split.right, share - left), (split.left, left)]);
    }
    shares
}

impl NaiveRow {
    /// All rows of a data set, as EM sees them.
    fn in_em(data: &Dataset, tree: &Tree, routing: Routing) -> Vec<Self> {
        let mut rows = Self::all(data, tree, routing);
        for (index, row) in rows.iter_mut().enumerate() {
            row.gate = shares_in_em(tree, routing, &data.columns().row(index));
        }
        rows
    }

    /// All rows of a data set.
    fn all(data: &Dataset, tree: &Tree, routing: Routing) -> Vec<Self> {
        let row = |row: usize| Self {
            gate: shares(tree, routing, &data.columns().row(row)),
            class: data.labels()[row] as usize,
            weight: data.weights().map_or(1.0, |weights| weights[row]),
        };
        (0..data.n_rows()).map(row).collect()
    }

    /// The probability that the leaves give to the row's class.
    fn p(&self, answers: &[Vec<f64>]) -> f64 {
        self.gate.iter().zip(answers).map(|(g, p)| g * p[self.class]).sum()
    }
}

/// One step of expectation and maximisation, as it is written down.
fn naive_step(rows: &[NaiveRow], prior: &[f64], answers: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut counts: Vec<Vec<f64>> = vec![prior.to_vec(); answers.len()];
    for row in rows {
        let total = row.p(answers);
        for (count, (gate, p)) in counts.iter_mut().zip(row.gate.iter().zip(answers)) {
            count[row.class] += row.weight * gate * p[row.class] / total;
        }
    }
    let shares = |count: &Vec<f64>| {
        let total: f64 = count.iter().sum();
        count.iter().map(|k| k / total).collect()
    };
    counts.iter().map(shares).collect()
}

/// What leaves answer, found the obvious way.
fn naive_answers(tree: &Tree, training: &Dataset, recipe: &Recipe, prior: &[f64]) -> Vec<Vec<f64>> {
    let leaves: Vec<NodeId> = tree.leaf_ids().collect();
    if recipe.leaves == Leaves::Counts {
        return leaves.iter().map(|&leaf| tree.values(leaf).to_vec()).collect();
    }
    let smooth = |&leaf: &NodeId| {
        let n = tree.weight(leaf) + 1.0;
        tree.class_weights(leaf).iter().zip(prior).map(|(count, p)| (count + p) / n).collect()
    };
    let mut answers: Vec<Vec<f64>> = leaves.iter().map(smooth).collect();
    if recipe.leaves == Leaves::Em && !recipe.routing.needs_three_children() {
        let rows = NaiveRow::in_em(training, tree, recipe.routing);
        for _ in 0..10 {
            answers = naive_step(&rows, prior, &answers);
        }
    }
    answers
}

/// A copy of some rows, with the weights they have there.
fn copied(data: &Dataset, subset: &RowSubset) -> Dataset {
    let rows: Vec<usize> = subset.rows.iter().map(|&row| row as usize).collect();
    let weights: Vec<f64> = subset.rows.iter().map(|&row| subset.weight(row)).collect();
    data.select(&rows).unwrap().with_weights(weights).unwrap()
}

/// The mean inner cross-validated log-loss of one candidate, every tree grown from scratch.
fn naive_losses(
    data: &Dataset,
    recipe: &Recipe,
    candidate: &CandidateLoss,
    repeats: u32,
) -> NaiveLosses {
    let mut params = recipe.params.clone();
    params.max_depth = candidate.max_depth;
    params.zone.scale = candidate.zone_scale;
    let view = DatasetView::from(data);
    let fit = FitRows::new(&view, &params.clone().check().unwrap()).unwrap();
    let mut prior = vec![0.0; data.n_classes()];
    let weight_of = |row: usize| data.weights().map_or(1.0, |weights| weights[row]);
    let total: f64 = (0..data.n_rows()).map(weight_of).sum();
    let labels = data.labels().iter().enumerate();
    labels.for_each(|(row, &id)| prior[id as usize] += weight_of(row) / total);
    let mut found = NaiveLosses::default();
    let mut tallies = vec![ClassTally::default(); data.n_classes()];
    for repeat in 0..repeats {
        let shuffle = Shuffle { seed: params.seed, number: repeat.into() };
        let folds = fit.resampler.unit_folds(&fit.all, FOLDS, shuffle).unwrap();
        for fold in (0..folds.count()).map(|fold| folds.rows_of(fold)) {
            let training = copied(data, &fold.training);
            let tree = plain_tree(&training, &params, recipe.routing);
            let answers = naive_answers(&tree, &training, recipe, &prior);
            let test = NaiveRow::all(&copied(data, &fold.test), &tree, recipe.routing);
            let loss = |row: &NaiveRow| row.weight * -row.p(&answers).max(1e-6).ln();
            let weight: f64 = test.iter().map(|row| row.weight).sum();
            let of_fold: f64 = test.iter().map(loss).sum();
            found.mean += of_fold / (total * f64::from(repeats));
            found.of_folds.push(of_fold / weight);
            found.leaves += tree.n_leaves() as f64;
            for row in test.iter().filter(|_| repeat == 0) {
                let p = |class| NaiveRow { class, gate: row.gate.clone(), weight: 0.0 }.p(&answers);
                let p: Vec<f64> = (0..data.n_classes()).map(p).collect();
                let predicted = most_probable(&p);
                let verdict = Verdict::decided_if(p[predicted as usize] >= 0.8);
                let copies = if row.weight.fract() == 0.0 { row.weight as u64 } else { 1 };
                ClassTally::add(&mut tallies, [row.class as u32, predicted], verdict, copies);
            }
        }
    }
    found.achieved = Some(Achieved::new(CalibrationSource::CrossFitted, tallies));
    found
}

/// What a candidate does to held-out rows, found the obvious way.
#[derive(Default)]
struct NaiveLosses {
    mean: f64,
    of_folds: Vec<f64>,
    /// The sum over the trees of all folds.
    leaves: f64,
    /// Of the first repeat, with a flag at a fifth of the cost of an error.
    achieved: Option<Achieved>,
}

fn check_against_brute_force(data: &Dataset, recipe: &Recipe) {
    let model = fitted(data, recipe.clone());
    let Chosen { choice, achieved } = model.chosen.unwrap();
    let n_depths = if recipe.auto.max_depth.is_some() { DEPTHS.len() } else { 1 };
    let n_scales = if recipe.auto.zone_scale { SCALES.len() } else { 1 };
    assert_eq!(choice.candidates.len(), n_depths * n_scales);
    let mut measured: Vec<(NaiveLosses, &CandidateLoss)> = Vec::new();
    for candidate in &choice.candidates {
        let naive = naive_losses(data, recipe, candidate, choice.repeats);
        let means = [naive.mean].into_iter().chain(naive.of_folds.iter().copied());
        let found = [candidate.log_loss].into_iter().chain(candidate.fold_log_losses.clone());
        assert_eq!(naive.of_folds.len(), candidate.fold_log_losses.len());
        for (naive, found) in means.zip(found) {
            let gap = (naive - found).abs();
            assert!(gap < 1e-10 * naive, "{recipe:?}: {candidate:?} should be {naive}");
        }
        let leaves = naive.leaves / naive.of_folds.len() as f64;
        assert!((candidate.leaves.unwrap() - leaves).abs() < 1e-9, "{candidate:?}");
        measured.push((naive, candidate));
    }
    let (naive, chosen) = naive_choice(&measured, recipe.auto.max_depth);
    assert_eq!(model.params.max_depth, chosen.max_depth);
    assert_eq!(model.params.zone.scale, chosen.zone_scale);
    assert_eq!(achieved, naive.achieved);
}

/// The first candidate of the lowest loss; or, of those the shallowest tree of depth 5 at most that is worse than the
/// best of them by one standard error or less.
fn naive_choice<'a>(
    measured: &'a [(NaiveLosses, &'a CandidateLoss)],
    depth: Option<DepthChoice>,
) -> &'a (NaiveLosses, &'a CandidateLoss) {
    let least = |wanted: &dyn Fn(&CandidateLoss) -> bool| {
        let mut best: Option<&(NaiveLosses, &CandidateLoss)> = None;
        for one in measured.iter().filter(|(_, candidate)| wanted(candidate)) {
            if best.is_none_or(|(best, _)| one.0.mean < best.mean - 1e-10) {
                best = Some(one);
            }
        }
        best.unwrap()
    };
    if depth != Some(DepthChoice::Auto) {
        return least(&|_| true);
    }
    let best = least(&|candidate| candidate.max_depth.unwrap() <= 5);
    for depth in [2, 3, 4] {
        let shallow = least(&|candidate| candidate.max_depth == Some(depth));
        let n = best.0.of_folds.len() as f64;
        let gaps: Vec<f64> = shallow
            .0
            .of_folds
            .iter()
            .zip(&best.0.of_folds)
            .map(|(one, other)| one - other)
            .collect();
        let mean = gaps.iter().sum::<f64>() / n;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / (n - 1.0);
        if shallow.0.mean - best.0.mean <= (variance / n).sqrt() + 1e-10 {
            return shallow;
        }
    }
    best
}

#[test]
fn scales_are_chosen_as_by_refitting_every_candidate() {
    let data = data(120, 3);
    let auto = Auto { zone_scale: true, max_depth: None };
    for (kind, routing) in [
        (ZoneKind::Spread, Routing::Probabilistic),
        (ZoneKind::Spread, Routing::Deferred),
        (ZoneKind::Spread, Routing::HardMiddle),
        (ZoneKind::class_overlap(), Routing::Probabilistic),
        (ZoneKind::Margin, Routing::HardMiddle),
    ] {
        for leaves in Leaves::ALL {
            let params = TreeParams { max_depth: Some(3), seed: 5, ..TreeParams::default() };
            let params = params.with_zone(kind.clone());
            check_against_brute_force(
                &data,
                &Recipe { params, routing, leaves, auto, ..Recipe::default() },
            );
        }
    }
}

/// Rows of weight 2 and 3 lie in several folds, rows of weight 1/2 and 3/2 in one.
#[test]
fn with_weights_too_candidates_are_chosen_as_by_refitting_them() {
    let weights: Vec<f64> = (0..90).map(|row| f64::from(row * row % 7) / 2.0).collect();
    let data = data(90, 3).with_weights(weights).unwrap();
    let params = TreeParams { max_depth: Some(3), seed: 2, ..TreeParams::default() };
    let params = params.with_zone(ZoneKind::Spread);
    let auto = Auto { zone_scale: true, max_depth: Some(DepthChoice::Auto) };
    for leaves in Leaves::ALL {
        let routing = Routing::Probabilistic;
        check_against_brute_force(
            &data,
            &Recipe { params: params.clone(), routing, leaves, auto, ..Recipe::default() },
        );
    }
}

#[test]
fn depths_are_chosen_as_by_refitting_every_candidate() {
    let data = data(150, 2);
    let plain = TreeParams { seed: 1, ..TreeParams::default() }.with_zone(ZoneKind::Spread);
    let pruned = TreeParams { ccp_alpha: 0.004, ..plain.clone() };
    let few_leaves = TreeParams { max_leaf_nodes: Some(9), ..plain.clone() };
    for params in [plain.clone(), pruned, few_leaves] {
        for (routing, choice) in [
            (Routing::Probabilistic, DepthChoice::Auto),
            (Routing::Probabilistic, DepthChoice::Best),
            (Routing::HardMiddle, DepthChoice::Auto),
        ] {
            let auto = Auto { zone_scale: false, max_depth: Some(choice) };
            let recipe = Recipe {
                params: params.clone(),
                routing,
                leaves: Leaves::Em,
                auto,
                ..Recipe::default()
            };
            check_against_brute_force(&data, &recipe);
        }
    }
    let both = Recipe { params: plain, ..Recipe::calibrated() };
    check_against_brute_force(&data, &both);
}

/// `sum w ln p + sum over leaves of sum prior ln P`, with gates found row by row.
fn penalised_log_likelihood(fit: &FitRows<'_>, tree: &Tree, answers: &[f64]) -> f64 {
    let n_classes = fit.prior.len();
    let mut sum = 0.0;
    for &row in &fit.all.rows {
        let gate =
            shares(tree, Routing::Probabilistic, &fit.data.matrix().trained_row(row as usize));
        let of_class = answers.iter().skip(fit.class_of(row)).step_by(n_classes);
        let p: f64 = gate.iter().zip(of_class).map(|(g, p)| g * p).sum();
        sum += fit.weight(&fit.all, row) * p.ln();
    }
    for answer in answers.chunks(n_classes) {
        // A class without rows has prior 0 and is never answered.
        let present = answer.iter().zip(&fit.prior).filter(|(_, prior)| **prior > 0.0);
        sum += present.map(|(p, prior)| prior * p.ln()).sum::<f64>();
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_step_of_em_lowers_the_penalised_likelihood(
        n in 20u32..90, n_classes in 2u32..5, depth in 1u32..5, scale in 0.05..4.0f64,
        weights in prop::collection::vec(0u32..5, 90),
    ) {
        let mut weights: Vec<f64> = weights[..n as usize].iter().map(|&w| f64::from(w)).collect();
        weights[0] = 1.0;
        let data = data(n, n_classes).with_weights(weights).unwrap();
        let params = TreeParams { max_depth: Some(depth), ..TreeParams::default() };
        let mut params = params.with_zone(ZoneKind::Spread);
        params.zone.scale = scale;
        let tree = &plain_tree(&data, &params, Routing::Probabilistic);
        let view = DatasetView::from(&data);
        let fit = FitRows::new(&view, &params.check().unwrap()).unwrap();
        let walker = Walker::new(tree, Routing::Probabilistic).unwrap();
        let exec = Exec::default();
        // What small shares leave out is not in the likelihood that EM climbs.
        let mut mixture = Mixture::new(&fit, 0.0, &exec);
        mixture.arrange(&fit.all, walker);
        let start = smoothed(tree, &fit.prior);
        let mut before = penalised_log_likelihood(&fit, tree, &start);
        for steps in 1..=10 {
            let answers = mixture.run_em(walker, &start, steps).unwrap();
            let after = penalised_log_likelihood(&fit, tree, &answers);
            // Rounding of some ninety terms of size one to ten.
            prop_assert!(after >= before - 1e-11, "step {steps}: {before} fell to {after}");
            before = after;
        }
    }
}

/// Gates that are not kept are found again in every step: to the same answers.
#[test]
fn memory_does_not_matter() {
    let data = data(5_000, 2);
    let mut recipe = Recipe::calibrated();
    recipe.auto = Auto::default();
    recipe.params.max_depth = Some(9);
    recipe.params.zone.scale = 1.5;
    let checked = recipe.params.clone().check().unwrap();
    let tree = fitted(&data, recipe).tree;
    let walker = Walker::new(&tree, Routing::Probabilistic).unwrap();
    let view = DatasetView::from(&data);
    let fit = FitRows::new(&view, &checked).unwrap();
    let exec = Exec::with_threads(2).unwrap();
    let mut mixture = Mixture::new(&fit, 1e-3, &exec);
    mixture.arrange(&fit.all, walker);
    let start = smoothed(&tree, &fit.prior);
    let kept = mixture.run_em(walker, &start, 3).unwrap();
    assert!(mixture.caches_all());
    let found_again = mixture.with_max_cached(1).run_em(walker, &start, 3).unwrap();
    assert_eq!(kept, found_again);
}
