//! One split in detail: why its zone is as wide as it is.

mod categories;
mod estimates;

use crate::categories::Categories;
use crate::classes::{Classes, Legend};
use crate::drawn_rows::DrawnRows;
use crate::histogram::{Counted, Shown};
use crate::palette::{HEADING, INK, NOTE, SUBTITLE, TITLE};
use crate::plot::Frame;
use crate::svg::{Anchor, Drawing, Rect, Shape, at};
use crate::text::fitted;
use crate::tree::values_at;
use crate::words::{CutWords, count, shown_zone, significant};
use std::sync::Arc;
use ternwood::dataset::one_line;
use ternwood::grow::SplitView;
use ternwood::model::SingleTree;
use ternwood::model::ZoneMeaning;
use ternwood::tree::{Cut, Digits, NodeId, Split, Test, Zone};
use ternwood::words::ShownTest;
use ternwood::{DatasetView, Error, ErrorKind, Model, Schema};

/// Options for the figure of one split. A split of categories has a single panel with all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ZoneFigure {
    /// A line above the figure; by default the feature and its zone.
    pub title: Option<String>,
    /// The panels, from top to bottom or row by row.
    pub panels: Vec<ZonePanel>,
    /// The arrangement of the panels.
    pub arrangement: Arrangement,
}

/// One aspect of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZonePanel {
    /// The gain of all candidate thresholds, and the plateau around the best one.
    Gain,
    /// The class densities and their overlap.
    Classes,
    /// The best thresholds of resamples.
    Resamples,
    /// The rows next to the threshold, and the nearest on the wrong side.
    Margin,
    /// The zones of all estimators.
    Estimates,
}

/// The arrangement of panels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// One below another, with a common axis.
    Stacked,
    /// Two per row, each with its own axis.
    TwoByTwo,
}

impl Default for ZoneFigure {
    /// Gain, classes, resamples and all estimators, one below another.
    fn default() -> Self {
        use ZonePanel::{Classes, Estimates, Gain, Resamples};
        let panels = vec![Gain, Classes, Resamples, Estimates];
        Self { title: None, panels, arrangement: Arrangement::Stacked }
    }
}

impl ZoneFigure {
    /// Four views of one split that show why a threshold alone says too little: gain, classes,
    /// resamples, margin.
    #[must_use]
    pub fn four_views() -> Self {
        use ZonePanel::{Classes, Gain, Margin, Resamples};
        let panels = vec![Gain, Classes, Resamples, Margin];
        Self { title: None, panels, arrangement: Arrangement::TwoByTwo }
    }
}

/// Draws one split of a model with the rows of `data` that reach it.
///
/// # Errors
/// A forest; as [`SplitView::new`]; data with classes that the model does not know, or a split that only asks
/// whether there is a value.
pub fn zone_svg<'a>(
    model: &Model,
    data: impl Into<DatasetView<'a>>,
    node: NodeId,
    options: &ZoneFigure,
) -> Result<String, Error> {
    let (drawing, size) = draw(model, data, node, options)?;
    Ok(drawing.finish(size, options.title.as_deref().unwrap_or("Uncertainty zone of a split")))
}

pub(crate) fn draw<'a>(
    model: &Model,
    data: impl Into<DatasetView<'a>>,
    node: NodeId,
    options: &ZoneFigure,
) -> Result<(Drawing, (f64, f64)), Error> {
    let model = model.single_tree()?;
    let rows = DrawnRows::new(&data.into(), &model)?;
    let classes = Classes::of(&model);
    let mut drawing = Drawing::default();
    if let Some(split) = split_at(model, node) {
        check_has_zone(model, node, split)?;
        if let Some(categories) = Categories::of(&model, &classes, split) {
            let split = (node, split);
            let size = categories::draw(&mut drawing, model, &rows, split, &categories, options);
            return Ok((drawing, size));
        }
    }
    let view = SplitView::new(model.tree(), rows.view(&model)?, &model.recipe().params, node)?;
    let missing = values_at(model.tree(), &rows, node, &classes).missing;
    let scene = Scene::new((model, node), classes, view, missing);
    let size = match options.arrangement {
        Arrangement::Stacked => stacked(&mut drawing, &scene, options),
        Arrangement::TwoByTwo => two_by_two(&mut drawing, &scene, options),
    };
    Ok((drawing, size))
}

/// The split at a node, if there is one.
fn split_at(model: SingleTree<'_>, node: NodeId) -> Option<&Split> {
    let exists = node.index() < model.tree().n_nodes();
    exists.then(|| model.tree().node(node).as_split()).flatten()
}

fn check_has_zone(model: SingleTree<'_>, node: NodeId, split: &Split) -> Result<(), Error> {
    if let Cut::Present = split.test.cut() {
        let name = &model.schema().features()[split.test.feature().index()].name;
        let problem = format!(
            "it asks whether '{name}' has a value, which is never in doubt, so there is no zone to \
             draw; choose a split with a threshold or categories"
        );
        return Err(ErrorKind::Tree { node: node.index(), problem }.into());
    }
    Ok(())
}

/// The data of all panels.
struct Scene {
    view: SplitView,
    digits: Option<Digits>,
    zone: Zone,
    classes: Classes,
    values: Vec<Counted>,
    /// The number of rows without a value, and where they go.
    missing: (u64, Option<&'static str>),
    own_kind: String,
    /// The factor on all half-widths.
    scale: f64,
    feature: String,
    /// The names of ordered categories; none for numbers.
    ranks: Vec<String>,
    /// "≤ 127.0 ± 1.1", "≤ 127.0, blended between 125.9 and 128.1".
    cut: String,
    schema: Arc<Schema>,
    shown: Shown,
    /// The ends of the axis.
    range: (f64, f64),
}

impl Scene {
    fn new(
        (model, node): (SingleTree<'_>, NodeId),
        classes: Classes,
        view: SplitView,
        missing: u64,
    ) -> Self {
        let digits = model.tree().digits(node);
        let counted = view
            .values
            .iter()
            .map(|group| (group.value, classes.slot(group.class as usize), group.rows));
        let values: Vec<Counted> = counted.collect();
        let zone = view.test.zone().expect("only splits with a threshold have a view");
        let shown = Shown::of(&values, zone);
        // The threshold may lie outside the data if the tree was trained on other data.
        let theta = zone.threshold();
        let (low, high) = (shown.low.min(theta), shown.high.max(theta));
        let room = 0.04 * high - 0.04 * low;
        let range = ((low - room).max(f64::MIN), (high + room).min(f64::MAX));
        let feature = &model.schema().features()[view.test.feature().index()];
        let ranks = feature.kind.names().iter().map(|name| one_line(name).into_owned()).collect();
        let feature = feature.name.clone();
        let own_kind = model.recipe().params.zone.kind.as_str().to_owned();
        let scale = model.recipe().params.zone.scale;
        let cut =
            cut_text(ShownTest { test: &view.test, digits }, model.schema(), model.zone_meaning());
        let missing = (missing, view.test.describe_missing());
        let schema = Arc::clone(model.schema());
        Self {
            view,
            digits,
            zone,
            classes,
            values,
            missing,
            own_kind,
            scale,
            feature,
            ranks,
            cut,
            schema,
            shown,
            range,
        }
    }

    /// A half-width around the threshold, with as few digits as tell which rows are within.
    fn shown_half_width(&self, half_width: f64) -> Option<String> {
        if half_width == self.zone.half_width() {
            let shown = ShownTest { test: &self.view.test, digits: self.digits };
            return shown_zone(shown, &self.schema)?.half_width;
        }
        let zone = Zone::new(self.zone.threshold(), half_width).ok()?;
        let values: Vec<f64> = self.values.iter().map(|value| value.0).collect();
        let test = Test::new(self.view.test.feature().0, zone);
        let shown = ShownTest { test: &test, digits: Digits::fewest_for(zone, &values) };
        shown_zone(shown, &self.schema)?.half_width
    }

    fn rows(&self) -> u64 {
        self.values.iter().map(|value| u64::from(value.2)).sum()
    }

    /// Draws a panel into `area` and returns its heading and notes.
    fn draw(&self, drawing: &mut Drawing, panel: ZonePanel, area: Rect) -> DrawnPanel {
        match panel {
            ZonePanel::Gain => estimates::draw_gain(self, drawing, area),
            ZonePanel::Classes => estimates::draw_spread(self, drawing, area),
            ZonePanel::Resamples => estimates::draw_resamples(self, drawing, area),
            ZonePanel::Margin => estimates::draw_margin(self, drawing, area),
            ZonePanel::Estimates => estimates::draw_estimates(self, drawing, area),
        }
    }

    /// Draws a line at the threshold across the full height of a frame.
    fn threshold_line(&self, drawing: &mut Drawing, frame: &Frame) {
        let x = frame.x.at(self.zone.threshold());
        let line = Shape::line(at(x, frame.area.y), at(x, frame.area.bottom()));
        drawing.add(&line.stroke(INK, 1.3));
    }

    fn x_axis(&self, drawing: &mut Drawing, frame: &Frame) {
        if self.ranks.is_empty() {
            frame.x_axis(drawing, &self.feature);
        } else {
            frame.ranks_axis(drawing, &self.feature, &self.ranks);
        }
    }

    /// The height of a panel.
    fn height(&self, panel: ZonePanel) -> f64 {
        match panel {
            ZonePanel::Gain | ZonePanel::Classes => 128.0,
            ZonePanel::Resamples => 74.0,
            ZonePanel::Margin => 110.0,
            ZonePanel::Estimates => estimates::ESTIMATE_ROW * self.view.estimates.len() as f64,
        }
    }
}

/// A drawn panel: its frame, heading and notes.
struct DrawnPanel {
    frame: Frame,
    heading: &'static str,
    notes: Vec<String>,
}

const MARGIN: f64 = 24.0;
const LEFT: f64 = 158.0;
const PLOT: f64 = 470.0;
const RIGHT: f64 = 142.0;

/// Headings and notes on the left, plots in the middle, room for direct labels on the right.
fn stacked(drawing: &mut Drawing, scene: &Scene, options: &ZoneFigure) -> (f64, f64) {
    let width = MARGIN + LEFT + PLOT + RIGHT + MARGIN;
    let mut y = header(drawing, scene, options, width);
    let mut last = None;
    for &panel in &options.panels {
        let area = Rect::new(MARGIN + LEFT, y, PLOT, scene.height(panel));
        let described = scene.draw(drawing, panel, area);
        let room = LEFT - 46.0;
        let place = at(MARGIN, y + 10.0);
        if panel != ZonePanel::Estimates {
            let heading = fitted(described.heading, HEADING, room);
            drawing.text(place, &heading, HEADING, Anchor::Start);
            for (line, note) in described.notes.iter().enumerate() {
                let place = at(MARGIN, place.y + 16.0 + 14.0 * line as f64);
                drawing.text(place, &fitted(note, NOTE, room), NOTE, Anchor::Start);
            }
        }
        y += area.h + 26.0;
        last = Some(described.frame);
    }
    if let Some(frame) = last {
        scene.x_axis(drawing, &frame);
    }
    (width, y + 34.0)
}

/// Panels in two columns, each with its heading, notes and axis.
fn two_by_two(drawing: &mut Drawing, scene: &Scene, options: &ZoneFigure) -> (f64, f64) {
    let (plot, gutter) = ((360.0, 170.0), (70.0, 104.0));
    let width = MARGIN + 40.0 + 2.0 * plot.0 + gutter.0 + MARGIN;
    let top = header(drawing, scene, options, width) + 34.0;
    for (index, &panel) in options.panels.iter().enumerate() {
        let (column, row) = ((index % 2) as f64, (index / 2) as f64);
        let x = MARGIN + 36.0 + column * (plot.0 + gutter.0);
        let area = Rect::new(x, top + row * (plot.1 + gutter.1), plot.0, plot.1);
        let described = scene.draw(drawing, panel, area);
        scene.x_axis(drawing, &described.frame);
        let heading = format!("{}\u{2002}{}", char::from(b'a' + index as u8), described.heading);
        described.frame.heading(drawing, &heading, &described.notes.join(" · "));
    }
    let rows = options.panels.len().div_ceil(2) as f64;
    (width, top + rows * (plot.1 + gutter.1) - 46.0)
}

/// Title, subtitle and class legend. Returns where the panels begin.
fn header(drawing: &mut Drawing, scene: &Scene, options: &ZoneFigure, width: f64) -> f64 {
    let room = width - 2.0 * MARGIN;
    let mut y = MARGIN + 0.8 * TITLE.size;
    let title = options.title.clone().unwrap_or_else(|| {
        let name = fitted(&scene.feature, TITLE, room - 260.0);
        format!("{name} {}", scene.cut)
    });
    drawing.text(at(MARGIN, y), &fitted(&title, TITLE, room), TITLE, Anchor::Start);
    y += 18.0;
    let mut facts = format!(
        "{} rows reach this split · {} zone",
        count(scene.rows() + scene.missing.0),
        display_name(&scene.own_kind)
    );
    if scene.scale != 1.0 {
        facts += &format!(" · all widths times {}", significant(scene.scale, 3));
    }
    let left_out = scene.shown.rows_outside(&scene.values);
    if left_out > 0 {
        facts += &format!(" · {} rows lie beyond the axis", count(left_out));
    }
    if scene.missing.0 > 0 {
        facts += &format!(" · {} of them without a value", count(scene.missing.0));
    }
    if let Some(missing) = scene.missing.1 {
        facts += &format!(" · {missing}");
    }
    drawing.text(at(MARGIN, y), &fitted(&facts, SUBTITLE, room), SUBTITLE, Anchor::Start);
    y += 12.0;
    let legend = Legend::new(scene.classes.legend());
    legend.draw(drawing, at(MARGIN, y), room);
    y + legend.height(room) + 20.0
}

/// "≤ 127.0 ± 1.1", "≤ 127.0, blended between 125.9 and 128.1"; for ordered categories the last one on the left.
fn cut_text(test: ShownTest<'_>, schema: &Schema, meaning: ZoneMeaning) -> String {
    match CutWords::of_threshold(test, schema, meaning) {
        Some(CutWords { full, .. }) if full.starts_with('≤') => full,
        Some(CutWords { full, .. }) => format!("≤ {full}"),
        None => String::new(),
    }
}

/// The readable name of an estimator.
fn display_name(kind: &str) -> String {
    kind.replace('_', " ")
}
