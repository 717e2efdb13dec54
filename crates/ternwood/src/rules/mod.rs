//! A tree as rules: one per leaf, with the truth values of Kleene's three-valued logic.
//!
//! A leaf is a conjunction of the tests on its path. For a row each test is true, false or, within
//! its zone or where the value is unknown, undecided; so is the rule. A row is decided by zones iff
//! some rule is true, and then all others are false. Without zones (crisp routing) only unknown
//! values leave a test undecided; in a tree of three children every test has three outcomes, and
//! every row makes exactly one rule true.

mod condition;
mod document;
mod rule;
mod words;

pub use condition::Truth;
pub use condition::{Bound, CategoryTruths, Condition, Edge};
pub use document::{ConditionDocument, RuleDocument};
pub use rule::Rule;

use crate::dataset::Matrix;
use crate::error::Result;
use crate::exec::Exec;
use crate::model::SingleTree;
use crate::tree::{Node, NodeId, Side};
use condition::{Branch, Reading};

/// The rules of a tree, in the order of its leaves. Prints as one line per rule.
///
/// ```
/// # #[cfg(feature = "learn")] {
/// use ternwood::rules::{Rules, Truth};
/// use ternwood::{Columns, Dataset, Exec, Labels, Learner, Routing, TreeParams};
///
/// let columns = Columns::from_columns(vec![1.0, 2.0, 3.0, 6.0, 7.0, 8.0], 1)?;
/// let data = Dataset::new(columns, Labels::from_values(["low", "low", "low", "high", "high", "high"]))?;
/// let model = Learner::new(TreeParams::default(), Routing::Probabilistic)?.fit(&data, &Exec::default())?;
///
/// let rules = Rules::of(model.single_tree()?);
/// assert_eq!(rules.iter().next().unwrap().truth(&[4.0]), Truth::Undecided);
/// assert_eq!(rules.to_string(), "\
/// low (100 %, 3 rows): x0 below 4.5 (uncertain between 3.0 and 6.0)
/// high (100 %, 3 rows): x0 above 4.5 (uncertain between 3.0 and 6.0)
/// ");
/// # }
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rules<'m> {
    model: SingleTree<'m>,
    rules: Vec<Rule>,
}

impl<'m> Rules<'m> {
    /// The rules of a tree.
    #[must_use]
    pub fn of(model: SingleTree<'m>) -> Self {
        Self::read(model, Reading::of(model.routing(), model.tree().is_three_child()))
    }

    /// The rules of a tree by its thresholds alone: what leads its training rows to a leaf. Where the tests have
    /// three children, as [`of`](Self::of).
    #[must_use]
    pub fn by_thresholds(model: SingleTree<'m>) -> Self {
        match model.tree().is_three_child() {
            true => Self::of(model),
            false => Self::read(model, Reading::Crisp),
        }
    }

    fn read(model: SingleTree<'m>, reading: Reading) -> Self {
        let tree = model.tree();
        let parents = tree.parents();
        let mut rules = Vec::new();
        let mut waiting = vec![(NodeId::ROOT, Vec::<Condition>::new())];
        while let Some((node, conditions)) = waiting.pop() {
            let Node::Split(split) = tree.node(node) else {
                rules.push(Rule::new(model, parents[node.index()], node, conditions));
                continue;
            };
            let (feature, test) = (split.test.feature(), split.test.plain());
            let known = conditions.iter().position(|it| it.feature() == feature);
            for side in [Side::Above, Side::Within, Side::Below] {
                let Some(child) = split.child(side) else { continue };
                let mut conditions = conditions.clone();
                let at = known.unwrap_or_else(|| {
                    conditions.push(Condition::none(feature));
                    conditions.len() - 1
                });
                conditions[at].narrow(node, &test, Branch { reading, side });
                waiting.push((child, conditions));
            }
        }
        Self { model, rules }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> SingleTree<'m> {
        self.model
    }

    /// The rules.
    pub fn iter(&self) -> std::slice::Iter<'_, Rule> {
        self.rules.iter()
    }

    /// The number of rules: at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a tree has a leaf")]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// The truth of every rule for every row, row by row.
    ///
    /// # Errors
    /// A wrong number of columns, or a value that is infinite.
    pub fn truths(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Vec<Truth>> {
        let mut truths = vec![Truth::False; rows.n_rows() * self.len()];
        self.model.for_each_row(rows, exec, &mut truths, |row, truths| {
            truths.iter_mut().zip(&self.rules).for_each(|(truth, rule)| *truth = rule.truth(row));
        })?;
        Ok(truths)
    }
}

impl<'r> IntoIterator for &'r Rules<'_> {
    type Item = &'r Rule;
    type IntoIter = std::slice::Iter<'r, Rule>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
