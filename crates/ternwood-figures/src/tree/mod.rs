//! The figure of a whole tree.
//!
//! A split shows the classes along its feature, with the zone hatched around the threshold, or its
//! categories with their errors and the cut; a leaf shows its distribution. The width of an edge shows the share of rows that take it.

mod card;
mod layout;
mod words;

use crate::classes::{Classes, Legend, Swatch};
use crate::drawn_rows::DrawnRows;
use crate::palette::{FLOW, GREY, INK, SUBTITLE, TITLE};
use crate::svg::{Anchor, Drawing, Rect, Shape, at, short};
use crate::text::{Font, first_fitting, fitted, width};
use crate::words::{count, significant};
use card::Cards;
use layout::{Branch, Drawn, Kind, Levels, TreeBox, drawn_nodes, values_at_drawn, values_kept};
pub(crate) use layout::{ValuesAtSplit, values_at};
use ternwood::model::SingleTree;
use ternwood::tree::{Node, NodeId, Test};
use ternwood::{DatasetView, Error, Model, Routing, Tree, VerdictPolicy};
use words::{caption_phrasings, missing_goes_here};

/// Options for the figure of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeFigure {
    /// A line above the tree.
    pub title: Option<String>,
    /// The node at the top: only the branch below it is drawn.
    pub top: NodeId,
    /// Deeper splits become stubs that state the number of omitted nodes. Without a limit, the
    /// figure is as deep as `max_leaves` allows.
    pub max_depth: Option<usize>,
    /// The maximum number of leaves if `max_depth` is not set.
    pub max_leaves: usize,
    /// The amount of detail per node.
    pub detail: Detail,
}

impl Default for TreeFigure {
    fn default() -> Self {
        Self {
            title: None,
            top: NodeId::ROOT,
            max_depth: None,
            max_leaves: 130,
            detail: Detail::Auto,
        }
    }
}

impl TreeFigure {
    /// How deep a tree is drawn: to its last leaf, unless that is too deep or too wide.
    #[must_use]
    pub fn drawn_depth(&self, tree: &Tree) -> usize {
        let levels = Levels::below(tree, self.top);
        self.max_depth
            .unwrap_or_else(|| levels.depth_that_fits(self.max_leaves))
            .min(levels.depth())
    }

    /// The splits whose subtrees are left out of the picture, each with the number of nodes in it.
    #[must_use]
    pub fn left_out(&self, tree: &Tree) -> Vec<(NodeId, usize)> {
        let drawn = drawn_nodes(tree, self.top, self.drawn_depth(tree));
        let stub = |node: &Drawn| match node.kind {
            Kind::Stub(hidden) => Some((node.id, hidden)),
            Kind::Split | Kind::Leaf => None,
        };
        drawn.iter().filter_map(stub).collect()
    }
}

/// Draws a tree. With data, or [histograms](Model::with_histograms) in the model, every split shows the
/// class distribution of the rows that reach it along its feature; without, only the class shares.
///
/// # Errors
/// A forest; data with a different number of columns than the model's, or with classes it does not know.
pub fn tree_svg(
    model: &Model,
    data: Option<DatasetView<'_>>,
    options: &TreeFigure,
) -> Result<String, Error> {
    let picture = draw(model, data, options)?;
    let title = options.title.as_deref().unwrap_or("Decision tree");
    Ok(picture.drawing.finish(picture.size, title))
}

/// A drawn tree, with the boxes of its nodes.
pub(crate) struct Picture {
    pub(crate) drawing: Drawing,
    pub(crate) size: (f64, f64),
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check that boxes do not overlap"))]
    pub(crate) boxes: Vec<Rect>,
}

const MARGIN: f64 = 22.0;
const MIN_WIDTH: f64 = 380.0;

pub(crate) fn draw(
    model: &Model,
    data: Option<DatasetView<'_>>,
    options: &TreeFigure,
) -> Result<Picture, Error> {
    let model = model.single_tree()?;
    let data = data.map(|data| DrawnRows::new(&data, &model)).transpose()?;
    let tree = model.tree();
    let nodes = drawn_nodes(tree, options.top, options.drawn_depth(tree));
    let leaves = nodes.iter().filter(|node| node.kind != Kind::Split).count();
    let kept = model.model().histograms().filter(|_| data.is_none());
    let style = Style::of(options.detail, leaves, data.is_some() || kept.is_some());
    let classes = Classes::of(&model);
    let ends = nodes.iter().filter(|node| node.kind == Kind::Leaf);
    let names = ends.map(|node| classes.name(tree.majority_class(node.id) as usize));
    let style = style.with_leaves_for(names);
    let values = data.as_ref().map(|data| values_at_drawn(tree, data, &nodes, &classes));
    let values = values.or_else(|| kept.map(|kept| values_kept(kept, &nodes, &classes)));

    let (mut boxes, tree_width) = place(tree, &nodes, &style);
    let cards = Cards { model, classes: &classes, style };
    let mut legend = legend(model, &classes, &style);
    if nodes.iter().any(|node| node.kind == Kind::Leaf && cards.is_flagged(node.id)) {
        legend = legend.with(Swatch::Look, "leaf that gets a second look");
    }
    let title_width = options.title.as_ref().map_or(0.0, |title| width(title, TITLE));
    let inner_width = tree_width.max(title_width.max(legend.width()).clamp(MIN_WIDTH, 900.0));
    let mut drawing = Drawing::default();
    let top = header(&mut drawing, model, options, inner_width, &legend);
    let left = MARGIN + (inner_width - tree_width) / 2.0;
    for area in &mut boxes {
        (area.x, area.y) = (area.x + left, area.y + top);
    }

    edges(&mut drawing, tree, &nodes, &boxes, &style);
    for (index, (node, &area)) in nodes.iter().zip(&boxes).enumerate() {
        if let Some(parent) = node.parent
            && let Node::Split(split) = tree.node(nodes[parent].id)
        {
            let digits = tree.digits(nodes[parent].id);
            let phrasings = caption_phrasings(split, digits, node.branch, model.schema());
            let missing = missing_goes_here(split, node.branch);
            caption(&mut drawing, &phrasings, missing, area, cards.style.caption_font());
        }
        if node.kind == Kind::Split {
            cards.split(&mut drawing, node.id, area, values.as_ref().map(|values| &values[index]));
        } else {
            cards.leaf(&mut drawing, node, area);
        }
    }
    let bottom = boxes.iter().map(|area| area.bottom()).fold(top, f64::max);
    Ok(Picture { drawing, size: (inner_width + 2.0 * MARGIN, bottom + MARGIN), boxes })
}

/// The boxes of all nodes relative to `(0, 0)`, and their total width. Nodes of a level have the
/// same upper edge.
fn place(tree: &Tree, nodes: &[Drawn], style: &Style) -> (Vec<Rect>, f64) {
    let size = |node: &Drawn| match (node.kind, tree.node(node.id)) {
        (Kind::Split, Node::Split(split)) => style.split_size(&split.test),
        _ => style.leaf_size(),
    };
    let sizes: Vec<(f64, f64)> = nodes.iter().map(size).collect();
    let tree_boxes: Vec<TreeBox> = nodes
        .iter()
        .zip(&sizes)
        .map(|(node, size)| TreeBox { parent: node.parent, width: size.0 })
        .collect();
    let centers = layout::centers(&tree_boxes, style.gap.0);
    let deepest = nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    let mut heights = vec![0.0f64; deepest + 1];
    for (node, size) in nodes.iter().zip(&sizes) {
        heights[node.depth] = heights[node.depth].max(size.1);
    }
    let mut tops = vec![0.0; deepest + 1];
    for level in 1..=deepest {
        tops[level] = tops[level - 1] + heights[level - 1] + style.gap.1;
    }
    let boxes: Vec<Rect> = nodes
        .iter()
        .zip(sizes.iter().zip(&centers))
        .map(|(node, (size, center))| {
            Rect::new(center - size.0 / 2.0, tops[node.depth], size.0, size.1)
        })
        .collect();
    let right = boxes.iter().map(|area| area.right()).fold(0.0, f64::max);
    (boxes, right)
}

fn legend(model: SingleTree<'_>, classes: &Classes, style: &Style) -> Legend {
    let tree = model.tree();
    let tests = || tree.tests();
    let mut legend = Legend::new(classes.legend());
    if tests().any(|test| test.zone().is_some()) {
        legend = legend.with(Swatch::Threshold, "threshold");
    }
    if tests().any(|test| test.categories().is_some() && style.plot(test).is_some()) {
        legend = legend.with(Swatch::Cut, "cut through categories");
        if tests().any(|test| test.categories().is_some() && test.has_zone()) {
            legend = legend.with(Swatch::Error, "standard error of a category");
        }
    }
    if tests().any(Test::has_zone) {
        legend = legend.with(Swatch::Zone, within_a_zone(model));
    }
    if tree.is_three_child() {
        legend = legend.with(Swatch::Dashed, "rows within the zone");
    }
    legend
}

/// What becomes of a row within a zone: a confidence policy may decide it all the same.
pub(crate) fn within_a_zone(model: SingleTree<'_>) -> &'static str {
    match (model.verdict(), model.tree().is_three_child()) {
        _ if model.routing() == Routing::Crisp => "zone, which crisp routing ignores",
        (VerdictPolicy::Zones { .. }, _) => "undecided",
        (_, true) => "goes to the middle",
        (_, false) => "goes both ways",
    }
}

/// Title, subtitle and legend. Returns where the tree begins.
fn header(
    drawing: &mut Drawing,
    model: SingleTree<'_>,
    options: &TreeFigure,
    room: f64,
    legend: &Legend,
) -> f64 {
    let mut y = MARGIN;
    if let Some(title) = &options.title {
        y += 0.8 * TITLE.size;
        drawing.text(at(MARGIN, y), &fitted(title, TITLE, room), TITLE, Anchor::Start);
        y += 8.0;
    }
    let tree = model.tree();
    let mut facts = vec![format!(
        "{} rows · depth {} · {} leaves · {} zones · {} routing",
        count(tree.rows(NodeId::ROOT).into()),
        tree.depth(),
        count(tree.n_leaves() as u64),
        model.recipe().params.zone.kind.as_str().replace('_', " "),
        model.routing().as_str().replace('_', " "),
    )];
    let mut cuts = tree.ids().filter_map(|id| tree.node(id).as_split()?.test.categories());
    if let Some(cut) = cuts.find(|cut| cut.has_zone()) {
        let errors = significant(cut.error(), 3);
        let plural = if errors == "1" { "" } else { "s" };
        let errors = format!("categories unsure within {errors} standard error{plural}");
        facts.insert(0, format!("{} · {errors}", facts[0]));
    }
    y += 0.8 * SUBTITLE.size;
    drawing.text(at(MARGIN, y), &first_fitting(&facts, SUBTITLE, room), SUBTITLE, Anchor::Start);
    y += 12.0;
    legend.draw(drawing, at(MARGIN, y), room);
    y + legend.height(room) + 18.0
}

/// The edges from parents to children. The edges below a node start side by side; together they are
/// as wide as the edge above it.
fn edges(drawing: &mut Drawing, tree: &Tree, nodes: &[Drawn], boxes: &[Rect], style: &Style) {
    let total = f64::from(tree.rows(NodeId::ROOT)).max(1.0);
    let flow = |child: usize| {
        let Drawn { id, stands_in, .. } = nodes[child];
        let rows = if stands_in { 0.0 } else { f64::from(tree.rows(id)) };
        (rows / total).min(1.0) * style.flow
    };
    let mut used = vec![0.0; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let Some(parent) = node.parent else { continue };
        let siblings = (parent + 1..nodes.len()).filter(|&i| nodes[i].parent == Some(parent));
        let all: f64 = siblings.map(flow).sum();
        let own = flow(index);
        let from = at(
            boxes[parent].center_x() - all / 2.0 + used[parent] + own / 2.0,
            boxes[parent].bottom(),
        );
        used[parent] += own;
        let to = at(boxes[index].center_x(), boxes[index].y);
        let middle = (from.y + to.y) / 2.0;
        let curve = format!(
            "M{} {}C{} {m} {} {m} {} {}",
            short(from.x),
            short(from.y),
            short(from.x),
            short(to.x),
            short(to.x),
            short(to.y),
            m = short(middle)
        );
        let mut edge = Shape::path(&curve).fill("none").stroke(FLOW, own.max(1.2));
        edge = edge.set("class", "edge").set("data-node", &node.id.to_string());
        if node.branch == Branch::Middle {
            edge = edge.dashed("5 3");
        }
        drawing.add(&edge);
    }
}

/// Labels the edge to a node, above its box. `phrasings` are phrasings, the longest first. A second
/// line tells that missing values take the edge.
fn caption(drawing: &mut Drawing, phrasings: &[String], missing: bool, area: Rect, font: Font) {
    let room = area.w - 4.0;
    let words = first_fitting(phrasings, font, room);
    let mut baseline = area.y - 6.0;
    let lines = [missing.then(|| first_fitting(&["or missing", "or ∅"], font, room)), Some(words)];
    for words in lines.into_iter().flatten() {
        drawing.halo(at(area.center_x(), baseline), &words, font);
        drawing.text(at(area.center_x(), baseline), &words, font, Anchor::Middle);
        baseline -= 1.15 * font.size;
    }
}

// Sizes of the parts of a tree, from roomy to small.

/// The amount of detail per node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// Chosen by the number of leaves.
    #[default]
    Auto,
    /// Histograms with their range, and all labels in full.
    Full,
    /// Small histograms.
    Compact,
    /// No histograms.
    Small,
}

/// Sizes for one [`Detail`].
#[derive(Debug, Clone, Copy)]
struct Style {
    split_width: f64,
    leaf_width: f64,
    /// The height of plots, if any.
    plot: Option<f64>,
    /// True if there are rows to make histograms of.
    has_data: bool,
    /// The height of the range or the names below a plot.
    range: f64,
    name: f64,
    small: f64,
    pad: f64,
    bar: f64,
    gap: (f64, f64),
    /// The width of the widest edge.
    flow: f64,
    max_bars: usize,
}

const FULL: Style = Style {
    split_width: 172.0,
    leaf_width: 98.0,
    plot: Some(54.0),
    has_data: true,
    range: 12.0,
    name: 12.0,
    small: 10.0,
    pad: 10.0,
    bar: 8.0,
    gap: (18.0, 62.0),
    flow: 22.0,
    max_bars: 26,
};

const COMPACT: Style = Style {
    split_width: 124.0,
    leaf_width: 72.0,
    plot: Some(34.0),
    has_data: true,
    range: 0.0,
    name: 10.5,
    small: 9.0,
    pad: 8.0,
    bar: 7.0,
    gap: (12.0, 52.0),
    flow: 18.0,
    max_bars: 20,
};

const SMALL: Style = Style {
    split_width: 86.0,
    leaf_width: 50.0,
    plot: None,
    has_data: true,
    range: 0.0,
    name: 9.5,
    small: 8.5,
    pad: 6.0,
    bar: 6.0,
    gap: (8.0, 46.0),
    flow: 16.0,
    max_bars: 0,
};

impl Style {
    /// The sizes for a tree with this number of drawn leaves.
    fn of(detail: Detail, leaves: usize, has_data: bool) -> Self {
        let style = match detail {
            Detail::Full => FULL,
            Detail::Compact => COMPACT,
            Detail::Small => SMALL,
            Detail::Auto if leaves <= 10 => FULL,
            Detail::Auto if leaves <= 30 => COMPACT,
            Detail::Auto => SMALL,
        };
        Self { has_data, ..style }
    }

    /// The same with leaves wide enough for the names of classes, up to the width of a split.
    fn with_leaves_for<'a>(self, names: impl Iterator<Item = &'a str>) -> Self {
        let needed = |name: &str| width(name, self.name_font()) + 2.0 * self.pad;
        let widest = names.map(needed).fold(self.leaf_width, f64::max);
        Self { leaf_width: widest.min(self.split_width), ..self }
    }

    /// The height of the plot in a split, if it has one. Only histograms need data.
    fn plot(&self, test: &Test) -> Option<f64> {
        self.plot.filter(|_| self.has_data || test.zone().is_none())
    }

    fn name_font(&self) -> Font {
        Font::bold(self.name, INK)
    }

    fn zone_font(&self) -> Font {
        Font::plain(self.name - 0.5, INK)
    }

    fn small_font(&self) -> Font {
        Font::plain(self.small, GREY)
    }

    fn caption_font(&self) -> Font {
        Font::plain(self.small, INK)
    }

    /// The distance from the baseline of a name to what follows it.
    fn below_name(&self) -> f64 {
        0.6 * self.name
    }

    /// The size of a split's box.
    fn split_size(&self, test: &Test) -> (f64, f64) {
        let words = 1.5 * self.name + 1.4 * self.small + 0.8 * self.pad;
        match self.plot(test) {
            Some(plot) => (self.split_width, self.above() + plot + self.range + words),
            // What has no plot in any style has a width for it already.
            None if self.plot.is_none() => (self.split_width, self.above() + self.bar + words),
            None => (0.78 * self.split_width, self.above() + self.bar + words),
        }
    }

    /// The size of a leaf's box.
    fn leaf_size(&self) -> (f64, f64) {
        (self.leaf_width, self.above() + self.bar + 1.5 * self.small + 0.8 * self.pad)
    }

    /// The height of the name and all above it.
    fn above(&self) -> f64 {
        self.pad + 0.8 * self.name + self.below_name()
    }
}
