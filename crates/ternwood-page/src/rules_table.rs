//! The rules of the tree, one per leaf, as a table.

use ternwood::model::SingleTree;

pub(crate) fn section(_model: SingleTree<'_>) -> String {
    String::new()
}
