//! Trees as arrays.

use super::container::Array;
use super::{
    ALL_DIGITS, CATEGORIES, DIRECTION, LEAF, MISSING_LEFT, MISSING_RIGHT, MISSING_UNKNOWN, PRESENT,
    THRESHOLD,
};
use crate::model::document::tree::shares;
use crate::tree::{Axis, CategoryCut, Cut, Digits, Missing, Node, Split, Test, Tree};

/// The arrays, field by field.
#[derive(Default)]
pub(super) struct Columns {
    n_classes: usize,
    /// Per tree.
    tree_nodes: Vec<u32>,
    /// Per node.
    feature: Vec<i32>,
    impurity: Vec<f64>,
    class_rows: Vec<u32>,
    class_weights: Vec<f64>,
    values: Vec<f64>,
    splits: SplitColumns,
    cuts: CutColumns,
}

/// Per split.
#[derive(Default)]
struct SplitColumns {
    right: Vec<u32>,
    middle: Vec<u32>,
    kind: Vec<u8>,
    threshold: Vec<f64>,
    half_width: Vec<f64>,
    missing: Vec<u8>,
    rows_within: Vec<u32>,
    decimals: Vec<i16>,
    nudges: Vec<i8>,
}

/// Per test of categories, per direction and per place of a category.
#[derive(Default)]
struct CutColumns {
    axis: Vec<i32>,
    error: Vec<f64>,
    n_places: Vec<u32>,
    directions: Vec<f64>,
    place_category: Vec<u32>,
    place_rows: Vec<u32>,
    place_position: Vec<f64>,
    place_error: Vec<f64>,
}

impl Columns {
    pub(super) fn of(trees: &[Tree]) -> Self {
        let n_classes = trees.first().map_or(0, Tree::n_classes);
        let mut columns = Self { n_classes, ..Self::default() };
        trees.iter().for_each(|tree| columns.push_tree(tree));
        columns
    }

    fn push_tree(&mut self, tree: &Tree) {
        self.tree_nodes.push(tree.n_nodes() as u32);
        for id in tree.ids() {
            self.impurity.push(tree.impurity(id));
            self.class_rows.extend_from_slice(tree.class_rows(id));
            self.class_weights.extend_from_slice(tree.class_weights(id));
            self.values.extend_from_slice(tree.values(id));
            match tree.node(id) {
                Node::Leaf => self.feature.push(LEAF),
                Node::Split(split) => {
                    self.feature.push(split.test.feature().0 as i32);
                    self.splits.push(split, tree.digits(id), tree.rows_within(id));
                    if let Some(cut) = split.test.categories() {
                        self.cuts.push(cut);
                    }
                }
            }
        }
    }

    /// The arrays that are needed: the others can be told from these.
    pub(super) fn to_arrays(&self) -> Vec<Array> {
        let Self { n_classes, tree_nodes, feature, impurity, class_rows, .. } = self;
        let per_class = Some(*n_classes);
        let mut arrays = vec![
            Array::new("tree_nodes", None, tree_nodes),
            Array::new("feature", None, feature),
            Array::new("impurity", None, impurity),
            Array::new("class_rows", per_class, class_rows),
        ];
        arrays.extend(self.class_weights());
        if self.answers_otherwise() {
            arrays.push(Array::new("values", per_class, &self.values));
        }
        arrays.extend(self.splits.to_arrays());
        arrays.extend(self.cuts.to_arrays(*n_classes));
        arrays
    }

    /// The weights where they are not the numbers of rows: whole ones take half the room.
    fn class_weights(&self) -> Option<Array> {
        let (weights, rows) = (&self.class_weights, &self.class_rows);
        if weights.iter().zip(rows).all(|(&weight, &rows)| weight == f64::from(rows)) {
            return None;
        }
        let whole: Vec<u32> = weights.iter().map(|&weight| weight as u32).collect();
        let per_class = Some(self.n_classes);
        Some(match weights.iter().zip(&whole).all(|(&weight, &whole)| weight == f64::from(whole)) {
            true => Array::new("class_weights", per_class, &whole),
            false => Array::new("class_weights", per_class, weights),
        })
    }

    /// True if some node answers otherwise than by its weights.
    fn answers_otherwise(&self) -> bool {
        let weights = self.class_weights.chunks_exact(self.n_classes);
        let mut nodes = weights.zip(self.values.chunks_exact(self.n_classes));
        nodes.any(|(weights, own)| shares(weights).zip(own).any(|(share, &p)| share != p))
    }
}

impl SplitColumns {
    fn push(&mut self, split: &Split, digits: Option<Digits>, rows_within: u32) {
        let test = &split.test;
        let (kind, threshold, half_width) = match test.cut() {
            Cut::Threshold { zone } => (THRESHOLD, zone.threshold(), zone.half_width()),
            Cut::Categories(cut) => (CATEGORIES, cut.threshold(), 0.0),
            Cut::Present => (PRESENT, 0.0, 0.0),
        };
        self.right.push(split.right.0);
        self.middle.extend(split.middle.map(|middle| middle.0));
        self.kind.push(kind);
        self.threshold.push(threshold);
        self.half_width.push(half_width);
        self.missing.push(missing(test));
        self.rows_within.push(rows_within);
        self.decimals.push(digits.map_or(ALL_DIGITS, Digits::decimals));
        self.nudges.extend(digits.map_or([0, 0], Digits::nudges));
    }

    fn to_arrays(&self) -> Vec<Array> {
        let mut arrays = vec![
            Array::new("right", None, &self.right),
            Array::new("threshold", None, &self.threshold),
            Array::new("half_width", None, &self.half_width),
            Array::new("rows_within", None, &self.rows_within),
        ];
        if !self.middle.is_empty() {
            arrays.push(Array::new("middle", None, &self.middle));
        }
        if self.kind.iter().any(|&kind| kind != THRESHOLD) {
            arrays.push(Array::new("kind", None, &self.kind));
        }
        if self.missing.iter().any(|&missing| missing != MISSING_UNKNOWN) {
            arrays.push(Array::new("missing", None, &self.missing));
        }
        if self.decimals.iter().any(|&decimals| decimals != ALL_DIGITS) {
            arrays.push(Array::new("decimals", None, &self.decimals));
            arrays.push(Array::new("nudges", Some(2), &self.nudges));
        }
        arrays
    }
}

impl CutColumns {
    fn push(&mut self, cut: &CategoryCut) {
        self.axis.push(match cut.axis() {
            Axis::ClassShare(class) => *class as i32,
            Axis::Direction(direction) => {
                self.directions.extend_from_slice(direction);
                DIRECTION
            }
        });
        self.error.push(cut.error());
        self.n_places.push(cut.places().len() as u32);
        for place in cut.places() {
            self.place_category.push(place.category);
            self.place_rows.push(place.rows);
            self.place_position.push(place.position);
            self.place_error.push(place.standard_error);
        }
    }

    fn to_arrays(&self, n_classes: usize) -> Vec<Array> {
        if self.axis.is_empty() {
            return Vec::new();
        }
        let mut arrays = vec![
            Array::new("cut_axis", None, &self.axis),
            Array::new("cut_error", None, &self.error),
            Array::new("cut_places", None, &self.n_places),
            Array::new("place_category", None, &self.place_category),
            Array::new("place_rows", None, &self.place_rows),
            Array::new("place_position", None, &self.place_position),
            Array::new("place_error", None, &self.place_error),
        ];
        if !self.directions.is_empty() {
            arrays.push(Array::new("cut_direction", Some(n_classes), &self.directions));
        }
        arrays
    }
}

fn missing(test: &Test) -> u8 {
    match (test.cut(), test.missing()) {
        (Cut::Present, _) | (_, Missing::Right) => MISSING_RIGHT,
        (_, Missing::Left) => MISSING_LEFT,
        (_, Missing::Unknown) => MISSING_UNKNOWN,
    }
}
