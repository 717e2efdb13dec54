//! What makes the trees of a forest undecided about one row.

use crate::predict::Walker;
use crate::tree::{Test, most_probable};

/// What the trees say of one row.
pub(crate) struct Doubts<'f> {
    /// How many trees are decided, for each class.
    pub(crate) decided: Vec<usize>,
    /// The tests that could not place the row, tree by tree; none for a decided tree.
    pub(crate) tests: Vec<Vec<&'f Test>>,
}

impl<'f> Doubts<'f> {
    /// Follows a row through trees, as prediction does.
    pub(crate) fn new(
        walkers: impl Iterator<Item = Walker<'f>>,
        row: &[f64],
        n_classes: usize,
    ) -> Self {
        let mut decided = vec![0; n_classes];
        let of_tree = |walker: Walker<'f>| {
            let explanation = walker.explain(row);
            if explanation.verdict.is_decided() {
                decided[most_probable(&explanation.distribution) as usize] += 1;
            }
            let splits =
                explanation.reasons().filter_map(|it| walker.tree().node(it.node).as_split());
            splits.map(|split| &split.test).collect()
        };
        let tests = walkers.map(of_tree).collect();
        Self { decided, tests }
    }
}
