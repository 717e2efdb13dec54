//! What the page keeps of evaluation rows: how sure the answers are, whether they are right, and which
//! test made them unsure. No feature of a row is in it.

use serde::Serialize;
use std::collections::BTreeMap;
use ternwood::model::SingleTree;
use ternwood::tree::most_probable;
use ternwood::verdict::Uncovered;
use ternwood::{DatasetView, Exec, Result};

/// With more rows than this, confidences are rounded down to [`STEPS`]ths, so that rows can be counted
/// together. A threshold with so many decimals flags the same rows.
const EXACT_ROWS: usize = 4_000;
const STEPS: f64 = 1_000.0;

/// Evaluation rows, those alike counted together.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Evaluation {
    pub(crate) rows: usize,
    /// The number of decimals of thresholds that tell the rows apart; `None` for all.
    decimals: Option<u32>,
    groups: Vec<Group>,
}

/// Rows with the same answer.
#[derive(Debug, Clone, Serialize)]
struct Group {
    /// The probability of the most probable class.
    confidence: f64,
    truth: u32,
    /// The most probable class.
    likely: u32,
    /// The answer of the model's policy, which may weigh costs.
    answer: u32,
    /// The verdict of the model's policy.
    decided: bool,
    /// False if no threshold decides the rows.
    covered: bool,
    /// The test that the answer hinges on most, or the leaf if no test is unsure.
    node: u32,
    count: u32,
}

impl Evaluation {
    pub(crate) fn new(model: SingleTree<'_>, data: &DatasetView<'_>, exec: &Exec) -> Result<Self> {
        let answers = model.predict(data.matrix(), exec)?;
        let covered = model.coverage().covered(data.matrix(), exec);
        let judges_all = model.verdict().uncovered() == Uncovered::Judge;
        let rounded = data.n_rows() > EXACT_ROWS;
        type Kind = (u64, u32, u32, u32, (bool, bool), u32);
        let mut counts: BTreeMap<Kind, u32> = BTreeMap::new();
        let mut row = vec![0.0; data.n_features()];
        for (index, &covered) in covered.iter().enumerate() {
            for (feature, value) in row.iter_mut().enumerate() {
                *value = data.matrix().value(index, feature);
            }
            let likely = most_probable(answers.distribution(index));
            let confidence = answers.distribution(index)[likely as usize];
            let confidence =
                if rounded { (confidence * STEPS).floor() / STEPS } else { confidence };
            // Confidences are not negative, so their bits are in order.
            let key = (
                confidence.to_bits(),
                data.labels()[index],
                likely,
                answers.classes()[index],
                (answers.verdicts()[index].is_decided(), judges_all || covered),
                node(model, &row)?,
            );
            *counts.entry(key).or_default() += 1;
        }
        let group =
            |((confidence, truth, likely, answer, (decided, covered), node), count)| Group {
                confidence: f64::from_bits(confidence),
                truth,
                likely,
                answer,
                decided,
                covered,
                node,
                count,
            };
        let groups = counts.into_iter().map(group).collect();
        Ok(Self { rows: data.n_rows(), decimals: rounded.then_some(3), groups })
    }
}

/// The node that makes a row unsure.
fn node(model: SingleTree<'_>, row: &[f64]) -> Result<u32> {
    let explained = model.explain(row)?;
    let explanation = explained.explanation();
    let test = explained.hinges().first().map(|hinge| explanation.steps[hinge.step].node.0);
    let leaf = || explanation.leaves.first().map_or(0, |reached| reached.leaf.0);
    Ok(test.unwrap_or_else(leaf))
}
