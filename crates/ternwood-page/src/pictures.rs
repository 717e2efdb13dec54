//! The tree as it is drawn: one picture, and for a large tree further ones of the branches it leaves out.

use crate::Page;
use ternwood::Result;
use ternwood::tree::NodeId;
use ternwood_figures::{TreeFigure, tree_svg};

/// A picture has so many leaves that it can be read.
const LEAVES: usize = 24;
/// No more nodes are drawn. The table of nodes and the answers have all of them.
const DRAWN: usize = 2_000;

/// A branch of the tree.
pub(crate) struct Picture {
    pub(crate) top: NodeId,
    /// The number of nodes below it.
    pub(crate) hidden: usize,
    pub(crate) svg: String,
}

/// The pictures, the whole tree first; and the number of nodes that are in none of them.
pub(crate) fn pictures(page: &Page<'_>) -> Result<(Vec<Picture>, usize)> {
    let tree = page.model.tree();
    let data = page.evaluation.as_ref().map(|(_, data)| data);
    let mut waiting = std::collections::VecDeque::from([(NodeId::ROOT, tree.n_nodes() - 1)]);
    let (mut pictures, mut drawn, mut left) = (Vec::new(), 0, 0);
    while let Some((top, hidden)) = waiting.pop_front() {
        if drawn >= DRAWN {
            left += hidden;
            continue;
        }
        let figure = TreeFigure { top, max_leaves: LEAVES, ..TreeFigure::default() };
        let svg = tree_svg(&page.model, data.cloned(), &figure)?;
        let left_out = figure.left_out(tree);
        drawn += hidden - left_out.iter().map(|(_, below)| below).sum::<usize>();
        waiting.extend(left_out);
        pictures.push(Picture { top, hidden, svg });
    }
    Ok((pictures, left))
}
