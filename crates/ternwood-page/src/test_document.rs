//! A test as the page's scripts read it: its numbers, and the words that are the same for all rows.

use serde::Serialize;
use ternwood::Schema;
use ternwood::model::SingleTree;
use ternwood::tree::{CategoryCut, Cut, Missing, NodeId, Side, Split};
use ternwood::words::{PlaceWords, ShownTest};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestDocument {
    feature: u32,
    #[serde(flatten)]
    cut: CutDocument,
    /// Where missing values go; absent where the test saw none.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'static str>,
    unknown_left: f64,
    /// "glucose 127.0 ± 1.1", "glucose 127.0, blended between 125.9 and 128.1".
    words: String,
    /// Which values go to each child.
    branches: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", tag = "cut")]
enum CutDocument {
    #[serde(rename_all = "camelCase")]
    Threshold {
        threshold: f64,
        half_width: f64,
        /// Threshold, half-width, lower and upper edge as people see them.
        shown: [String; 4],
    },
    Categories {
        threshold: f64,
        error: f64,
        places: Vec<PlaceDocument>,
    },
    Present,
}

/// A category on the axis of a cut.
#[derive(Serialize)]
struct PlaceDocument {
    id: u32,
    rows: u32,
    position: f64,
    error: f64,
    /// "3 rows, 33 % ill, standard error 24 %" and "within 2 standard errors of the cut at 41 %".
    words: [String; 2],
}

impl TestDocument {
    pub(crate) fn new(model: SingleTree<'_>, id: NodeId, split: &Split) -> Self {
        let (test, schema) = (&split.test, model.schema());
        let shown = ShownTest { test, digits: model.tree().digits(id) };
        let three = split.middle.is_some();
        let branch = |side| test.describe_branch(side, three, schema);
        let sides = [Some(Side::Below), three.then_some(Side::Within), Some(Side::Above)];
        Self {
            feature: test.feature().0,
            cut: match test.cut() {
                Cut::Threshold { zone, .. } => CutDocument::Threshold {
                    threshold: zone.threshold(),
                    half_width: zone.half_width(),
                    shown: shown.zone(schema).map_or_else(Default::default, |shown| {
                        let half_width = shown.half_width.unwrap_or_default();
                        [shown.threshold, half_width, shown.lower, shown.upper]
                    }),
                },
                Cut::Categories(cut) => CutDocument::Categories {
                    threshold: cut.threshold(),
                    error: cut.error(),
                    places: places(cut, schema),
                },
                Cut::Present => CutDocument::Present,
            },
            missing: match test.missing() {
                Missing::Unknown => None,
                Missing::Left => Some("left"),
                Missing::Right => Some("right"),
            },
            unknown_left: test.unknown_left(),
            words: shown.describe(schema, model.zone_meaning()),
            branches: sides.into_iter().flatten().map(branch).collect(),
        }
    }
}

fn places(cut: &CategoryCut, schema: &Schema) -> Vec<PlaceDocument> {
    let place = cut.places().iter().map(|place| {
        let words = PlaceWords::new(cut, place, schema);
        PlaceDocument {
            id: place.category,
            rows: place.rows,
            position: place.position,
            error: place.standard_error,
            words: [words.place, words.near],
        }
    });
    place.collect()
}
