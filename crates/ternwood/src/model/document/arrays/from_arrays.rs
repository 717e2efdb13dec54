//! Trees from arrays. How long each array must be follows from `tree_nodes` and `feature`.

use super::container::{Column, Container, Number};
use super::{
    ALL_DIGITS, CATEGORIES, DIRECTION, LEAF, MISSING_LEFT, MISSING_RIGHT, MISSING_UNKNOWN, PRESENT,
    THRESHOLD,
};
use crate::dataset::Schema;
use crate::error::Result;
use crate::model::document::tree::shares;
use crate::model::document::{complaint, in_tree, unusable};
use crate::tree::{
    Axis, CategoryCut, CategoryPlace, Digits, Missing, NodeRecord, NodeRows, Test, Tree,
    TreeBuilder, Zone,
};

/// Reads all trees.
pub(super) fn trees(file: &mut Container<'_>, schema: &Schema) -> Result<Vec<Tree>> {
    let tree_nodes = file.take::<u32>("tree_nodes", None)?;
    let mut nodes = Nodes::take(file, schema)?;
    let n_nodes = nodes.feature.len();
    let claimed: u64 = tree_nodes.iter().map(u64::from).sum();
    if claimed != n_nodes as u64 {
        return Err(unusable(format!(
            "its trees have {claimed} nodes by \"tree_nodes\", but {n_nodes} by \"feature\""
        )));
    }
    let trees = tree_nodes.iter().enumerate().map(|(index, n_nodes)| {
        nodes.next_tree(n_nodes, schema).map_err(|error| in_tree(index, &error))
    });
    trees.collect()
}

/// The fields of nodes, read one after the other, like all that follow. Their lengths have been checked.
struct Nodes<'a> {
    n_classes: usize,
    feature: Column<'a, i32>,
    impurity: Column<'a, f64>,
    class_rows: Column<'a, u32>,
    class_weights: Weights<'a>,
    /// `None` where they are the shares of the weights.
    values: Option<Column<'a, f64>>,
    splits: Splits<'a>,
}

enum Weights<'a> {
    AreRows,
    Whole(Column<'a, u32>),
    Real(Column<'a, f64>),
}

impl<'a> Nodes<'a> {
    fn take(file: &mut Container<'a>, schema: &Schema) -> Result<Self> {
        let n_classes = schema.n_classes();
        let feature: Column<'a, i32> = file.take("feature", None)?;
        let n_nodes = feature.len();
        let n_splits = feature.iter().filter(|&feature| feature != LEAF).count();
        let n_numbers = n_nodes.saturating_mul(n_classes);
        let per_class = Some(n_classes);
        let why = &format!("{n_nodes} nodes and {n_classes} classes");
        let class_rows = file.take("class_rows", per_class)?;
        let class_weights = if file.has::<u32>("class_weights") {
            let weights = optional(file, "class_weights", per_class, n_numbers, why)?;
            weights.map(Weights::Whole)
        } else {
            let weights = optional(file, "class_weights", per_class, n_numbers, why)?;
            weights.map(Weights::Real)
        };
        Ok(Self {
            n_classes,
            feature,
            impurity: required(file, "impurity", n_nodes, &format!("{n_nodes} nodes"))?,
            class_rows: class_rows.of_length("class_rows", n_numbers, why)?,
            class_weights: class_weights.unwrap_or(Weights::AreRows),
            values: optional(file, "values", per_class, n_numbers, why)?,
            splits: Splits::take(file, n_splits, n_classes)?,
        })
    }

    fn next_tree(&mut self, n_nodes: u32, schema: &Schema) -> Result<Tree> {
        let (n_features, n_classes) = (schema.n_features(), self.n_classes);
        let mut builder = match self.splits.middle {
            Some(_) => TreeBuilder::three_child(n_features, n_classes),
            None => TreeBuilder::new(n_features, n_classes),
        };
        let mut links = Vec::new();
        for node in 0..n_nodes as usize {
            let class_rows = self.class_rows.next_many(n_classes);
            let class_weights: Vec<f64> = match &mut self.class_weights {
                Weights::AreRows => class_rows.iter().copied().map(f64::from).collect(),
                Weights::Whole(weights) => {
                    weights.next_many(n_classes).into_iter().map(f64::from).collect()
                }
                Weights::Real(weights) => weights.next_many(n_classes),
            };
            let values = match &mut self.values {
                Some(values) => values.next_many(n_classes),
                None => shares(&class_weights).collect(),
            };
            let split = match self.feature.next() {
                LEAF => None,
                feature => Some(self.splits.next(feature).map_err(|it| complaint(node, it))?),
            };
            builder.push(&NodeRecord {
                test: split.as_ref().map(|split| &split.test),
                rows: NodeRows::OfClasses { rows: &class_rows, weights: &class_weights },
                values: &values,
                impurity: self.impurity.next(),
                rows_within: split.as_ref().map_or(0, |split| split.rows_within),
            });
            builder.show_with(split.as_ref().and_then(|split| split.digits));
            links.extend(split.map(|split| (split.middle, split.right)));
        }
        let tree = builder.finish()?;
        check_links(&tree, &links)?;
        Ok(tree)
    }
}

/// The order of the nodes determines whose child each is; the numbers given must agree.
fn check_links(tree: &Tree, links: &[(Option<u32>, u32)]) -> Result<()> {
    let splits = tree.ids().filter_map(|id| tree.node(id).as_split().map(|split| (id, split)));
    for ((id, split), &given) in splits.zip(links) {
        let expected = (split.middle.map(|middle| middle.0), split.right.0);
        if given != expected {
            let ((middle, right), at) = (given, id.index());
            let child = match (middle, expected.0) {
                (Some(found), Some(due)) if found != due => {
                    format!("its middle child is {found}, but preorder puts it at {due}")
                }
                _ => format!("its right child is {right}, but preorder puts it at {}", expected.1),
            };
            return Err(complaint(at, child));
        }
    }
    Ok(())
}

/// The fields of splits.
struct Splits<'a> {
    right: Column<'a, u32>,
    middle: Option<Column<'a, u32>>,
    kind: Option<Column<'a, u8>>,
    threshold: Column<'a, f64>,
    half_width: Column<'a, f64>,
    missing: Option<Column<'a, u8>>,
    rows_within: Column<'a, u32>,
    decimals: Option<Column<'a, i16>>,
    nudges: Option<Column<'a, i8>>,
    cuts: Option<Cuts<'a>>,
}

struct Link {
    test: Test,
    digits: Option<Digits>,
    middle: Option<u32>,
    right: u32,
    rows_within: u32,
}

impl<'a> Splits<'a> {
    fn take(file: &mut Container<'a>, n_splits: usize, n_classes: usize) -> Result<Self> {
        let why = &format!("{n_splits} splits");
        let kind: Option<Column<'a, u8>> = file.take_if_any("kind", None)?;
        let kinds = kind.map_or(0, |kind| kind.iter().filter(|&kind| kind == CATEGORIES).count());
        let decimals = optional(file, "decimals", None, n_splits, why)?;
        Ok(Self {
            right: required(file, "right", n_splits, why)?,
            middle: optional(file, "middle", None, n_splits, why)?,
            kind: kind.map(|kind| kind.of_length("kind", n_splits, why)).transpose()?,
            threshold: required(file, "threshold", n_splits, why)?,
            half_width: required(file, "half_width", n_splits, why)?,
            missing: optional(file, "missing", None, n_splits, why)?,
            rows_within: required(file, "rows_within", n_splits, why)?,
            nudges: match decimals {
                Some(_) => optional(file, "nudges", Some(2), 2 * n_splits, why)?,
                None => None,
            },
            decimals,
            cuts: (kinds > 0).then(|| Cuts::take(file, kinds, n_classes)).transpose()?,
        })
    }

    fn next(&mut self, feature: i32) -> Result<Link, String> {
        let feature = u32::try_from(feature)
            .map_err(|_| format!("its feature is {feature}; a leaf has {LEAF}"))?;
        let kind = self.kind.as_mut().map_or(THRESHOLD, Column::next);
        let (threshold, half_width) = (self.threshold.next(), self.half_width.next());
        let missing_code = self.missing.as_mut().map_or(MISSING_UNKNOWN, Column::next);
        let missing = match missing_code {
            MISSING_UNKNOWN => Missing::Unknown,
            MISSING_LEFT => Missing::Left,
            MISSING_RIGHT => Missing::Right,
            other => return Err(format!("its missing is {other}; there are 0, 1 and 2")),
        };
        let decimals = self.decimals.as_mut().map_or(ALL_DIGITS, Column::next);
        let nudges = self.nudges.as_mut().map_or([0, 0], |nudges| [nudges.next(), nudges.next()]);
        let digits = match decimals {
            ALL_DIGITS => None,
            _ => Some(Digits::new(decimals, nudges).map_err(|error| error.to_string())?),
        };
        let no_zone = half_width == 0.0 && digits.is_none();
        let test = match (kind, &mut self.cuts) {
            (THRESHOLD, _) => {
                let zone = Zone::new(threshold, half_width).map_err(|error| error.to_string())?;
                Test::new(feature, zone).with_missing(missing)
            }
            (CATEGORIES, Some(cuts)) if no_zone => {
                Test::of_categories(feature, cuts.next(threshold)?).with_missing(missing)
            }
            (PRESENT, _) if no_zone && threshold == 0.0 && missing == Missing::Right => {
                Test::is_present(feature)
            }
            (CATEGORIES | PRESENT, _) => {
                let problem = "it is no test of a threshold, and has numbers of one";
                return Err(problem.to_owned());
            }
            (other, _) => return Err(format!("its kind is {other}; there are 0, 1 and 2")),
        };
        Ok(Link {
            test,
            digits,
            middle: self.middle.as_mut().map(Column::next),
            right: self.right.next(),
            rows_within: self.rows_within.next(),
        })
    }
}

/// The fields of tests of categories.
struct Cuts<'a> {
    n_classes: usize,
    axis: Column<'a, i32>,
    error: Column<'a, f64>,
    n_places: Column<'a, u32>,
    direction: Option<Column<'a, f64>>,
    place_category: Column<'a, u32>,
    place_rows: Column<'a, u32>,
    place_position: Column<'a, f64>,
    place_error: Column<'a, f64>,
}

impl<'a> Cuts<'a> {
    fn take(file: &mut Container<'a>, n_cuts: usize, n_classes: usize) -> Result<Self> {
        let why = &format!("{n_cuts} tests of categories");
        let axis = file.take::<i32>("cut_axis", None)?.of_length("cut_axis", n_cuts, why)?;
        let n_places =
            file.take::<u32>("cut_places", None)?.of_length("cut_places", n_cuts, why)?;
        let total = n_places.iter().map(u64::from).sum::<u64>();
        let total = usize::try_from(total).unwrap_or(usize::MAX);
        let places = &format!("{total} places");
        let n_directions = axis.iter().filter(|&axis| axis == DIRECTION).count();
        let directions = &format!("{n_directions} directions");
        let n_numbers = n_directions.saturating_mul(n_classes);
        let per_class = Some(n_classes);
        Ok(Self {
            n_classes,
            axis,
            error: required(file, "cut_error", n_cuts, why)?,
            n_places,
            direction: match n_directions {
                0 => None,
                _ => {
                    let column = file.take::<f64>("cut_direction", per_class)?;
                    Some(column.of_length("cut_direction", n_numbers, directions)?)
                }
            },
            place_category: required(file, "place_category", total, places)?,
            place_rows: required(file, "place_rows", total, places)?,
            place_position: required(file, "place_position", total, places)?,
            place_error: required(file, "place_error", total, places)?,
        })
    }

    fn next(&mut self, threshold: f64) -> Result<CategoryCut, String> {
        let axis = match (self.axis.next(), &mut self.direction) {
            (DIRECTION, Some(direction)) => Axis::Direction(direction.next_many(self.n_classes)),
            (class, _) => {
                let class = u32::try_from(class);
                Axis::ClassShare(
                    class.map_err(|_| "its axis is no class and no direction".to_owned())?,
                )
            }
        };
        let places = (0..self.n_places.next()).map(|_| CategoryPlace {
            category: self.place_category.next(),
            rows: self.place_rows.next(),
            position: self.place_position.next(),
            standard_error: self.place_error.next(),
        });
        let places = places.collect();
        let cut = CategoryCut::new(axis, threshold, self.error.next(), places);
        cut.map_err(|error| error.to_string())
    }
}

fn required<'a, T: Number>(
    file: &mut Container<'a>,
    name: &str,
    length: usize,
    why: &str,
) -> Result<Column<'a, T>> {
    file.take::<T>(name, None)?.of_length(name, length, why)
}

fn optional<'a, T: Number>(
    file: &mut Container<'a>,
    name: &str,
    width: Option<usize>,
    length: usize,
    why: &str,
) -> Result<Option<Column<'a, T>>> {
    let column = file.take_if_any::<T>(name, width)?;
    column.map(|column| column.of_length(name, length, why)).transpose()
}
