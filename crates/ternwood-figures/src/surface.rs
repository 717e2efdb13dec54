//! Decision surfaces over two features: class colours, with undecided regions hatched.

use crate::classes::{Classes, Legend, Swatch};
use crate::drawn_rows::DrawnRows;
use crate::palette::{self, HEADING, PAPER, RULE, TITLE, ZONE, tint};
use crate::plot::Frame;
use crate::svg::{Anchor, Drawing, Rect, Shape, at, short};
use crate::text::fitted;
use crate::words::count;
use std::collections::BTreeMap;
use ternwood::dataset::FeatureKind;
use ternwood::tree::Test;
use ternwood::{DatasetView, Error, ErrorKind, Exec, Feature, Matrix, Model, Tree};

/// A model and the title of its panel.
#[derive(Debug, Clone)]
pub struct SurfacePanel<'a> {
    /// The title of the panel.
    pub title: String,
    /// The model.
    pub model: &'a Model,
}

/// Options for a figure of decision surfaces.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceFigure {
    /// A line above the figure.
    pub title: Option<String>,
    /// The features along x and y, of numbers or ordered categories. All others are held at the
    /// median of the data, or at their most frequent category.
    pub features: (usize, usize),
    /// The maximum number of rows drawn as points.
    pub most_points: usize,
}

impl Default for SurfaceFigure {
    fn default() -> Self {
        Self { title: None, features: (0, 1), most_points: 700 }
    }
}

const MARGIN: f64 = 24.0;
const SIDE: f64 = 340.0;
const GUTTER: f64 = 72.0;
/// Grid lines along each axis, in addition to the zone edges.
const GRID_LINES: usize = 96;
/// The maximum number of zone edges along an axis. Beyond it, the grid alone is fine enough.
const MAX_EDGES: usize = 300;

/// Draws the decision surfaces of models side by side, with the rows of `data` as points.
///
/// # Errors
/// A feature that does not exist or has categories without an order, or data of a different shape
/// than a model's.
pub fn surface_svg<'a>(
    panels: &[SurfacePanel<'_>],
    data: impl Into<DatasetView<'a>>,
    options: &SurfaceFigure,
) -> Result<String, Error> {
    let (drawing, size) = draw(panels, data, options)?;
    Ok(drawing.finish(size, options.title.as_deref().unwrap_or("Decision surface")))
}

pub(crate) fn draw<'a>(
    panels: &[SurfacePanel<'_>],
    data: impl Into<DatasetView<'a>>,
    options: &SurfaceFigure,
) -> Result<(Drawing, (f64, f64)), Error> {
    let data = data.into();
    let features = [options.features.0, options.features.1];
    if features.iter().any(|&feature| feature >= data.n_features()) {
        let (what, reason) = ("the list of columns".to_owned(), "the features drawn".to_owned());
        let expected = features[0].max(features[1]) + 1;
        let found = data.n_features();
        return Err(ErrorKind::Length { what, expected, found, reason }.into());
    }
    let mut drawing = Drawing::default();
    let width = 2.0 * MARGIN + 56.0 + panels.len().max(1) as f64 * (SIDE + GUTTER) - GUTTER;
    let mut y = MARGIN;
    if let Some(title) = &options.title {
        y += 0.8 * TITLE.size;
        let title = fitted(title, TITLE, width - 2.0 * MARGIN);
        drawing.text(at(MARGIN, y), &title, TITLE, Anchor::Start);
        y += 14.0;
    }
    if let Some(first) = panels.first() {
        let legend = Legend::new(Classes::of(first.model).legend());
        let legend = legend.with(Swatch::Zone, "undecided");
        legend.draw(&mut drawing, at(MARGIN, y), width - 2.0 * MARGIN);
        y += legend.height(width - 2.0 * MARGIN) + 28.0;
    }
    for (index, panel) in panels.iter().enumerate() {
        let data = DrawnRows::new(&data, panel.model)?;
        for feature in features {
            check_axis(panel.model, feature)?;
        }
        let x = MARGIN + 46.0 + index as f64 * (SIDE + GUTTER);
        let ranges = features.map(|feature| padded_range(data.present(feature)));
        let frame = Frame::new(Rect::new(x, y, SIDE, SIDE), ranges[0], ranges[1]);
        let surface = Surface { model: panel.model, data: &data, features };
        surface.draw(&mut drawing, &frame)?;
        surface.points(&mut drawing, &frame, options.most_points);
        drawing.add(&Shape::rect(frame.area).fill("none").stroke(RULE, 1.0));
        let heading = fitted(&panel.title, HEADING, SIDE);
        drawing.text(at(x, y - 10.0), &heading, HEADING, Anchor::Start);
        let names = features.map(|feature| panel.model.schema().features()[feature].name.as_str());
        axes(&mut drawing, &frame, names);
    }
    let mut height = y + SIDE + 56.0;
    let missing = rows_not_drawn(&data, features);
    if missing > 0 {
        let words = format!("Not drawn: {} rows with a missing value", count(missing as u64));
        let words = fitted(&words, palette::NOTE, width - 2.0 * MARGIN);
        drawing.text(at(MARGIN, height - 4.0), &words, palette::NOTE, Anchor::Start);
        height += 12.0;
    }
    Ok((drawing, (width, height)))
}

/// Categories without an order have no place along an axis.
fn check_axis(model: &Model, feature: usize) -> Result<(), Error> {
    let Feature { name, kind, .. } = &model.schema().features()[feature];
    if let FeatureKind::Categories(_) = kind {
        let allowed = format!(
            "features of numbers or ordered categories; those of '{name}' have no order, and so no \
             place along an axis"
        );
        let value = format!("{feature} ('{name}')");
        return Err(ErrorKind::Parameter { name: "features", value, allowed }.into());
    }
    Ok(())
}

fn rows_not_drawn(data: &DatasetView<'_>, features: [usize; 2]) -> usize {
    let missing = |row: usize| features.iter().any(|&j| data.matrix().value(row, j).is_nan());
    (0..data.n_rows()).filter(|&row| missing(row)).count()
}

/// Ticks along both axes, and the names of the features.
fn axes(drawing: &mut Drawing, frame: &Frame, names: [&str; 2]) {
    frame.x_axis(drawing, names[0]);
    for (value, words) in frame.y.ticks(5) {
        let place = at(frame.area.x - 6.0, frame.y.at(value) + 3.5);
        drawing.text(place, &words, palette::TICK, Anchor::End);
    }
    let name = fitted(names[1], palette::NOTE, frame.area.h);
    let place = at(frame.area.x - 40.0, frame.area.center_y());
    drawing.vertical_text(place, &name, palette::NOTE);
}

/// The range of the values with some room; from 0 to 1 if there are none.
fn padded_range(column: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = column.fold(None, |ends: Option<(f64, f64)>, x| {
        let (low, high) = ends.unwrap_or((x, x));
        Some((low.min(x), high.max(x)))
    });
    let (low, high) = ends.unwrap_or((0.0, 1.0));
    let room = 0.05 * high - 0.05 * low;
    ((low - room).max(f64::MIN), (high + room).min(f64::MAX))
}

struct Surface<'a> {
    model: &'a Model,
    data: &'a DrawnRows<'a>,
    features: [usize; 2],
}

/// The class slot of a cell, and true if it is undecided.
type Answer = (usize, bool);

impl Surface<'_> {
    fn draw(&self, drawing: &mut Drawing, frame: &Frame) -> Result<(), Error> {
        let xs = self.lines(self.features[0], frame.x);
        let ys = self.lines(self.features[1], frame.y);
        let answers = self.answers(&xs, &ys)?;
        let pixel = |column: usize, row: usize| at(frame.x.at(xs[column]), frame.y.at(ys[row]));
        let rect = |(columns, rows): ((usize, usize), (usize, usize))| {
            let (a, b) = (pixel(columns.0, rows.0), pixel(columns.1, rows.1));
            Rect::new(a.x, b.y, b.x - a.x, a.y - b.y)
        };
        let mut paths: BTreeMap<Answer, String> = BTreeMap::new();
        for (answer, block) in blocks(&answers, xs.len() - 1, |answer| Some(*answer)) {
            let Rect { x, y, w, h } = rect(block);
            let (w, h, back) = (short(w), short(h), short(-w));
            let part = format!("M{} {}h{w}v{h}h{back}z", short(x), short(y));
            paths.entry(answer).or_default().push_str(&part);
        }
        for ((slot, undecided), path) in &paths {
            let strength = if *undecided { 0.18 } else { 0.36 };
            let shape = Shape::path(path).fill(&tint(palette::class(*slot), strength));
            drawing.add(&shape.set("shape-rendering", "crispEdges"));
        }
        let hatched = blocks(&answers, xs.len() - 1, |answer| answer.1.then_some(()));
        let hatched: Vec<Rect> = hatched.into_iter().map(|(_, block)| rect(block)).collect();
        drawing.hatch_all(&hatched, ZONE);
        Ok(())
    }

    /// The cell boundaries along a feature: a regular grid, and all zone edges.
    fn lines(&self, feature: usize, scale: crate::plot::Scale) -> Vec<f64> {
        let (low, high) = scale.ends();
        let tests = self.model.trees().iter().flat_map(Tree::tests);
        let own = tests.filter(|test| test.feature().index() == feature);
        let mut edges: Vec<f64> = own
            .filter_map(Test::zone)
            .flat_map(|zone| [zone.lower(), zone.threshold(), zone.upper()])
            .filter(|edge| *edge > low && *edge < high)
            .collect();
        edges.sort_by(f64::total_cmp);
        edges.dedup();
        if edges.len() > MAX_EDGES {
            edges.clear();
        }
        edges.extend((0..=GRID_LINES).map(|k| scale.value(k as f64 / GRID_LINES as f64)));
        edges.sort_by(f64::total_cmp);
        edges.dedup();
        edges
    }

    /// The answer at the centre of every cell, row by row from the lowest y.
    fn answers(&self, xs: &[f64], ys: &[f64]) -> Result<Vec<Answer>, Error> {
        let classes = Classes::of(self.model);
        let n_columns = xs.len() - 1;
        let n_features = self.model.schema().n_features();
        let features = self.model.schema().features().iter().enumerate();
        let typical = features.map(|(j, feature)| typical(feature, self.data.present(j)));
        let mut rows = typical.collect::<Vec<f64>>().repeat(n_columns);
        let mut answers = Vec::with_capacity(n_columns * (ys.len() - 1));
        for y in ys.windows(2) {
            for (row, x) in rows.chunks_exact_mut(n_features).zip(xs.windows(2)) {
                row[self.features[0]] = 0.5 * x[0] + 0.5 * x[1];
                row[self.features[1]] = 0.5 * y[0] + 0.5 * y[1];
            }
            let cells = Matrix::row_major(&rows, n_features)?;
            let predictions = self.model.predict(cells, &Exec::default())?;
            let answer = predictions.classes().iter().zip(predictions.verdicts());
            let slot = |class: u32| classes.slot(class as usize);
            answers.extend(answer.map(|(&class, verdict)| (slot(class), verdict.is_undecided())));
        }
        Ok(answers)
    }

    fn points(&self, drawing: &mut Drawing, frame: &Frame, most: usize) {
        let classes = Classes::of(self.model);
        let step = self.data.n_rows().div_ceil(most.max(1)).max(1);
        for row in (0..self.data.n_rows()).step_by(step) {
            let colour = classes.colour(self.data.class(row));
            let [x, y] = self.features.map(|feature| self.data.value(row, feature));
            if x.is_nan() || y.is_nan() {
                continue;
            }
            let place = at(frame.x.at(x), frame.y.at(y));
            drawing.add(&Shape::circle(place, 2.6).fill(colour).stroke(PAPER, 0.7));
        }
    }
}

/// The median of the values, or the most frequent category, the lowest id on ties; missing if all
/// are.
fn typical(feature: &Feature, present: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = present.collect();
    sorted.sort_by(f64::total_cmp);
    if let FeatureKind::Categories(_) = feature.kind {
        let runs = sorted.chunk_by(|a, b| a == b);
        let longest = runs.rev().max_by_key(|run| run.len());
        return longest.map_or(f64::NAN, |run| run[0]);
    }
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Half-open ranges of columns and rows.
type Block = ((usize, usize), (usize, usize));

/// Merges cells with equal keys into rectangles: runs along a row, then equal runs of rows.
fn blocks<K: Ord + Copy>(
    answers: &[Answer],
    n_columns: usize,
    key: impl Fn(&Answer) -> Option<K>,
) -> Vec<(K, Block)> {
    let mut done = Vec::new();
    let mut open: BTreeMap<(K, (usize, usize)), usize> = BTreeMap::new();
    let n_rows = answers.len() / n_columns.max(1);
    for row in 0..=n_rows {
        let mut runs: BTreeMap<(K, (usize, usize)), usize> = BTreeMap::new();
        if row < n_rows {
            let cells = &answers[row * n_columns..(row + 1) * n_columns];
            let mut start = 0;
            for end in 1..=n_columns {
                if end == n_columns || key(&cells[end]) != key(&cells[start]) {
                    if let Some(key) = key(&cells[start]) {
                        let run = (key, (start, end));
                        runs.insert(run, open.remove(&run).unwrap_or(row));
                    }
                    start = end;
                }
            }
        }
        done.extend(open.into_iter().map(|((key, run), from)| (key, (run, (from, row)))));
        open = runs;
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_cells_merge_into_rectangles() {
        // Two rows of three cells: the first two columns agree, the last column differs.
        let answers = [(0, false), (0, false), (1, false), (0, false), (0, false), (1, true)];
        let all = blocks(&answers, 3, |answer| Some(*answer));
        assert_eq!(all.len(), 3);
        assert!(all.contains(&((0, false), ((0, 2), (0, 2)))));
        assert!(all.contains(&((1, false), ((2, 3), (0, 1)))));
        let undecided = blocks(&answers, 3, |answer| answer.1.then_some(()));
        assert_eq!(undecided, [((), ((2, 3), (1, 2)))]);
    }

    #[test]
    fn blocks_cover_every_cell_once() {
        let answers: Vec<Answer> = (0..35).map(|i| (i * i % 3, i % 4 == 0)).collect();
        let mut seen = vec![0; 35];
        for (answer, ((x0, x1), (y0, y1))) in blocks(&answers, 7, |answer| Some(*answer)) {
            for y in y0..y1 {
                for x in x0..x1 {
                    assert_eq!(answers[7 * y + x], answer);
                    seen[7 * y + x] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&n| n == 1), "{seen:?}");
    }
}
