//! Grows one tree on bins, best split first.

use super::bins::{Bins, Codes, FeatureBins};
use super::gradients::{Cell, Gradients};
use super::table::Kind;
use crate::exec::Exec;
use crate::tree::{
    Axis, CategoryCut, CategoryPlace, Missing, NodeRecord, NodeRows, Test, Tree, TreeBuilder, Zone,
};
use crate::error::Result;

/// When trees stop growing, and how leaves are regularised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    pub(crate) max_leaves: usize,
    pub(crate) max_depth: u32,
    pub(crate) min_rows: u32,
    pub(crate) min_hessian: f64,
    pub(crate) lambda: f64,
    /// The half-width of zones in halves of a standard deviation.
    pub(crate) zone_scale: f64,
    /// The half-width of the zones of categories in standard errors.
    pub(crate) category_error: f64,
}

/// A tree grown, and the rows of its leaves in preorder.
pub(super) struct Grown {
    pub(super) tree: Tree,
    /// The sums of the rows of every leaf.
    pub(super) leaves: Vec<Vec<Cell>>,
}

struct GrowingNode {
    /// A range of `rows`.
    start: usize,
    end: usize,
    depth: u32,
    sums: Vec<Cell>,
    /// Sums of all bins, while the node may be split.
    cells: Option<Vec<Cell>>,
    best: Option<Split>,
    children: Option<Children>,
}

struct Children {
    test: Test,
    left: usize,
    right: usize,
}

/// A way to divide the rows of a node.
#[derive(Debug, Clone)]
struct Split {
    gain: f64,
    feature: usize,
    missing: Missing,
    at: At,
    /// The rows on the left, the missing ones included if they go there.
    left_rows: u32,
}

#[derive(Debug, Clone)]
enum At {
    /// Between the last bin on the left and the first bin on the right that have rows.
    Cut([usize; 2]),
    /// Categories in positions of an output up to a threshold.
    Positions { output: usize, threshold: f64 },
    Present,
}

/// What all nodes of a tree share.
pub(super) struct Grower<'a> {
    pub(super) bins: &'a Bins,
    pub(super) gradients: &'a Gradients,
    pub(super) limits: Limits,
    /// The features that may be tested.
    pub(super) features: &'a [usize],
    /// Weights of rows in whole units.
    pub(super) units: &'a dyn Fn(u32) -> u64,
    pub(super) exec: &'a Exec,
}

/// Rows whose gradients are gathered at a time.
const ROWS_AT_ONCE: usize = 1024;

/// Fewer cells are not worth another thread.
const CELLS_PER_TASK: usize = 1 << 17;

impl Grower<'_> {
    /// Grows a tree on some rows, which are divided in place.
    pub(super) fn grow(&self, rows: &mut Vec<u32>) -> Result<Grown> {
        let mut spare = Vec::with_capacity(rows.len());
        let root_sums = self.gradients.sums(rows);
        let mut nodes = vec![GrowingNode {
            start: 0,
            end: rows.len(),
            depth: 0,
            sums: root_sums,
            cells: None,
            best: None,
            children: None,
        }];
        if self.may_split(&nodes[0]) {
            let cells = self.count(rows);
            nodes[0].best = self.best_split(&nodes[0], &cells);
            nodes[0].cells = Some(cells);
        }
        let mut n_leaves = 1;
        while n_leaves < self.limits.max_leaves {
            self.exec.check()?;
            let Some(parent) = best_node(&nodes) else { break };
            let (Some(split), Some(cells)) = (nodes[parent].best.take(), nodes[parent].cells.take())
            else {
                break;
            };
            self.divide(parent, split, cells, &mut nodes, (rows, &mut spare), n_leaves);
            n_leaves += 1;
        }
        self.finish(nodes)
    }

    fn may_split(&self, node: &GrowingNode) -> bool {
        node.depth < self.limits.max_depth
            && node.end - node.start >= 2 * self.limits.min_rows.max(1) as usize
    }

    /// Divides a node. Both children get their sums, and their best splits if they may be divided.
    fn divide(
        &self,
        parent: usize,
        split: Split,
        mut cells: Vec<Cell>,
        nodes: &mut Vec<GrowingNode>,
        (rows, spare): (&mut [u32], &mut Vec<u32>),
        n_leaves: usize,
    ) {
        let GrowingNode { start, end, depth, .. } = nodes[parent];
        let feature = &self.bins.features[split.feature];
        let goes_left = self.sides(feature, &split, &cells);
        let test = self.test(feature, &split, &rows[start..end], &cells, &nodes[parent].sums);
        spare.clear();
        let mut next = start;
        match &feature.codes {
            Codes::Narrow(codes) => {
                for at in start..end {
                    let row = rows[at];
                    let left = goes_left[usize::from(codes[row as usize])];
                    rows[next] = row;
                    next += usize::from(left);
                    if !left {
                        spare.push(row);
                    }
                }
            }
            Codes::Wide(codes) => {
                for at in start..end {
                    let row = rows[at];
                    let left = goes_left[usize::from(codes[row as usize])];
                    rows[next] = row;
                    next += usize::from(left);
                    if !left {
                        spare.push(row);
                    }
                }
            }
        }
        rows[next..end].copy_from_slice(spare);
        debug_assert_eq!(next - start, split.left_rows as usize);
        let [left, right] = [start..next, next..end].map(|range| GrowingNode {
            start: range.start,
            end: range.end,
            depth: depth + 1,
            sums: Vec::new(),
            cells: None,
            best: None,
            children: None,
        });
        let (mut left, mut right) = (left, right);
        let left_is_smaller = left.end - left.start <= right.end - right.start;
        let is_last = n_leaves + 1 >= self.limits.max_leaves;
        let needs_cells = !is_last && (self.may_split(&left) || self.may_split(&right));
        let smaller = if left_is_smaller { &left } else { &right };
        let smaller_rows = &rows[smaller.start..smaller.end];
        let of_smaller = if needs_cells { self.count(smaller_rows) } else { Vec::new() };
        let smaller_sums = self.gradients.sums(smaller_rows);
        let larger_sums: Vec<Cell> =
            nodes[parent].sums.iter().zip(&smaller_sums).map(|(all, some)| all.without(*some)).collect();
        if needs_cells {
            cells.iter_mut().zip(&of_smaller).for_each(|(all, some)| *all = all.without(*some));
        }
        let (of_left, of_right) =
            if left_is_smaller { (of_smaller, cells) } else { (cells, of_smaller) };
        (left.sums, right.sums) = if left_is_smaller {
            (smaller_sums, larger_sums)
        } else {
            (larger_sums, smaller_sums)
        };
        for (child, cells) in [(&mut left, of_left), (&mut right, of_right)] {
            if needs_cells && self.may_split(child) {
                child.best = self.best_split(child, &cells);
                child.cells = child.best.is_some().then_some(cells);
            }
        }
        nodes[parent].children = Some(Children { test, left: nodes.len(), right: nodes.len() + 1 });
        nodes.push(left);
        nodes.push(right);
    }

    /// Sums the gradients of rows by bin.
    fn count(&self, rows: &[u32]) -> Vec<Cell> {
        let width = self.gradients.n_outputs();
        let mut cells = vec![Cell::default(); self.bins.n_bins * width];
        let mut parts: Vec<(&FeatureBins, &mut [Cell])> = Vec::with_capacity(self.features.len());
        let mut rest = &mut cells[..];
        let mut at = 0;
        for &feature in self.features {
            let feature = &self.bins.features[feature];
            let (_, from) = rest.split_at_mut((feature.first - at) * width);
            let (own, after) = from.split_at_mut(feature.n_bins() * width);
            parts.push((feature, own));
            (rest, at) = (after, feature.first + feature.n_bins());
        }
        let threads = self.exec.threads();
        let n_tasks = if rows.len() * parts.len() < CELLS_PER_TASK { 1 } else { threads };
        let length = parts.len().div_ceil(n_tasks).max(1);
        let mut tasks = Vec::with_capacity(n_tasks);
        while !parts.is_empty() {
            let rest = parts.split_off(length.min(parts.len()));
            tasks.push(std::mem::replace(&mut parts, rest));
        }
        self.exec.map(tasks, |mut features| {
            let mut gathered = Vec::with_capacity(ROWS_AT_ONCE * width);
            for rows in rows.chunks(ROWS_AT_ONCE) {
                self.gradients.gather(rows, &mut gathered);
                for (feature, cells) in &mut features {
                    match &feature.codes {
                        Codes::Narrow(codes) => add_all(codes, rows, &gathered, cells, width),
                        Codes::Wide(codes) => add_all(codes, rows, &gathered, cells, width),
                    }
                }
            }
        });
        cells
    }

    fn best_split(&self, node: &GrowingNode, cells: &[Cell]) -> Option<Split> {
        let width = self.gradients.n_outputs();
        let mut best: Option<Split> = None;
        for &feature in self.features {
            let bins = &self.bins.features[feature];
            let cells = &cells[bins.first * width..][..bins.n_bins() * width];
            let found = match (bins.kind, width) {
                (Kind::Number, 1) => self.scan_one(feature, bins, cells, node),
                (Kind::Number, _) => self.scan_many(feature, bins, cells, node),
                (Kind::Categories(_), _) => self.scan_categories(feature, bins, cells, node),
            };
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.gain > best.gain)
            {
                best = Some(found);
            }
        }
        best
    }

    /// The best cut of a number, for one output.
    fn scan_one(
        &self,
        feature: usize,
        bins: &FeatureBins,
        cells: &[Cell],
        node: &GrowingNode,
    ) -> Option<Split> {
        let [g_unit, h_unit] = self.gradients.units();
        let (lambda, min_rows) = (self.limits.lambda, self.limits.min_rows.max(1));
        let (mask, shift) = (self.gradients.count_mask(), self.gradients.shift());
        let total = node.sums[0];
        let n_rows = total.rows(mask);
        let (known, missing) = cells.split_at(bins.n_known);
        let missing = missing.first().copied().unwrap_or_default();
        let sides: &[Missing] = match missing.rows(mask) {
            0 => &[Missing::Unknown],
            _ => &[Missing::Left, Missing::Right],
        };
        let (all_g, all_h) = (total.g as f64 * g_unit, (total.h >> shift) as f64 * h_unit);
        let whole = all_g * all_g / (all_h + lambda);
        let (mut best_gain, mut best) = (0.0, None);
        let min_hessian = self.limits.min_hessian;
        for &side in sides {
            let mut left = if side == Missing::Left { missing } else { Cell::default() };
            let absent = if side == Missing::Left { missing.rows(mask) } else { 0 };
            let mut last = usize::MAX;
            let most = n_rows - if side == Missing::Right { missing.rows(mask) } else { 0 };
            for (bin, &cell) in known.iter().enumerate() {
                if cell.h == 0 {
                    continue;
                }
                // The cut lies before this bin.
                let rows = left.rows(mask);
                if last != usize::MAX && rows >= min_rows {
                    if n_rows - rows < min_rows {
                        break;
                    }
                    let (g, h) = (left.g as f64 * g_unit, (left.h >> shift) as f64 * h_unit);
                    let (other_g, other_h) = (all_g - g, all_h - h);
                    let gain = g * g / (h + lambda) + other_g * other_g / (other_h + lambda) - whole;
                    if gain > best_gain && h >= min_hessian && other_h >= min_hessian {
                        best_gain = gain;
                        best = Some((side, [last, bin], rows));
                    }
                }
                left = left.with(cell);
                last = bin;
            }
            debug_assert!(left.rows(mask) == most && absent <= most);
        }
        let cut = best.map(|(missing, ends, left_rows)| Split {
            gain: best_gain,
            feature,
            missing,
            at: At::Cut(ends),
            left_rows,
        });
        self.or_present(cut, feature, missing_cells(bins, cells, 1), node)
    }

    /// The best cut of a number, for several outputs.
    fn scan_many(
        &self,
        feature: usize,
        bins: &FeatureBins,
        cells: &[Cell],
        node: &GrowingNode,
    ) -> Option<Split> {
        let width = self.gradients.n_outputs();
        let mask = self.gradients.count_mask();
        let missing = missing_cells(bins, cells, width);
        let n_missing = missing.map_or(0, |cells| cells[0].rows(mask));
        let sides: &[Missing] =
            if n_missing == 0 { &[Missing::Unknown] } else { &[Missing::Left, Missing::Right] };
        let mut best: Option<Split> = None;
        for &side in sides {
            let mut left = match (side, missing) {
                (Missing::Left, Some(missing)) => missing.to_vec(),
                _ => vec![Cell::default(); width],
            };
            let mut last = usize::MAX;
            for (bin, cell) in cells[..bins.n_known * width].chunks_exact(width).enumerate() {
                if cell[0].rows(mask) == 0 {
                    continue;
                }
                if last != usize::MAX {
                    self.offer(&mut best, &left, node, || (feature, side, At::Cut([last, bin])));
                }
                left.iter_mut().zip(cell).for_each(|(left, &cell)| *left = left.with(cell));
                last = bin;
            }
        }
        self.or_present(best, feature, missing, node)
    }

    /// Keeps a split if it is better.
    #[inline]
    fn offer(
        &self,
        best: &mut Option<Split>,
        left: &[Cell],
        node: &GrowingNode,
        what: impl FnOnce() -> (usize, Missing, At),
    ) {
        let mask = self.gradients.count_mask();
        let (left_rows, min_rows) = (left[0].rows(mask), self.limits.min_rows.max(1));
        let right_rows = node.sums[0].rows(mask) - left_rows;
        if left_rows < min_rows || right_rows < min_rows {
            return;
        }
        let gain = self.gain(left, &node.sums);
        if gain > best.as_ref().map_or(0.0, |best| best.gain) {
            let (feature, missing, at) = what();
            *best = Some(Split { gain, feature, missing, at, left_rows });
        }
    }

    /// The gain of a division, minus infinity if a side has too small a Hessian.
    fn gain(&self, left: &[Cell], all: &[Cell]) -> f64 {
        let lambda = self.limits.lambda;
        let (mut gain, mut sides) = (0.0, [0.0; 2]);
        for (&left, &all) in left.iter().zip(all) {
            let [g, h] = self.gradients.values(left);
            let [all_g, all_h] = self.gradients.values(all);
            let (other_g, other_h) = (all_g - g, all_h - h);
            gain += g * g / (h + lambda) + other_g * other_g / (other_h + lambda)
                - all_g * all_g / (all_h + lambda);
            sides[0] += h;
            sides[1] += other_h;
        }
        let too_small = sides.iter().any(|&h| h < self.limits.min_hessian);
        if too_small { f64::NEG_INFINITY } else { gain }
    }

    /// The better of a split and "present | missing".
    fn or_present(
        &self,
        mut best: Option<Split>,
        feature: usize,
        missing: Option<&[Cell]>,
        node: &GrowingNode,
    ) -> Option<Split> {
        let mask = self.gradients.count_mask();
        let Some(missing) = missing.filter(|cells| cells[0].rows(mask) > 0) else { return best };
        let present: Vec<Cell> =
            node.sums.iter().zip(missing).map(|(all, missing)| all.without(*missing)).collect();
        self.offer(&mut best, &present, node, || (feature, Missing::Right, At::Present));
        best
    }

    /// Positions of the categories of a node on the axis of an output, ascending.
    fn positions(&self, bins: &FeatureBins, cells: &[Cell], output: usize) -> Vec<(f64, usize)> {
        let width = self.gradients.n_outputs();
        let mask = self.gradients.count_mask();
        let known = cells[..bins.n_known * width].chunks_exact(width).enumerate();
        let known = known.filter(|(_, cells)| cells[0].rows(mask) > 0);
        let mut positions: Vec<(f64, usize)> = known
            .map(|(category, cells)| {
                let [g, h] = self.gradients.values(cells[output]);
                (g / (h + self.limits.lambda), category)
            })
            .collect();
        positions.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        positions
    }

    fn scan_categories(
        &self,
        feature: usize,
        bins: &FeatureBins,
        cells: &[Cell],
        node: &GrowingNode,
    ) -> Option<Split> {
        let width = self.gradients.n_outputs();
        let mask = self.gradients.count_mask();
        let missing = missing_cells(bins, cells, width);
        let n_missing = missing.map_or(0, |cells| cells[0].rows(mask));
        let sides: &[Missing] =
            if n_missing == 0 { &[Missing::Unknown] } else { &[Missing::Left, Missing::Right] };
        let mut best: Option<Split> = None;
        for output in 0..width {
            let positions = self.positions(bins, cells, output);
            for &side in sides {
                let mut left = match (side, missing) {
                    (Missing::Left, Some(missing)) => missing.to_vec(),
                    _ => vec![Cell::default(); width],
                };
                for pair in positions.windows(2) {
                    let [(here, category), (next, _)] = [pair[0], pair[1]];
                    let own = &cells[category * width..][..width];
                    left.iter_mut().zip(own).for_each(|(left, &cell)| *left = left.with(cell));
                    let threshold = f64::midpoint(here, next);
                    if here <= threshold && threshold < next {
                        let at = At::Positions { output, threshold };
                        self.offer(&mut best, &left, node, || (feature, side, at));
                    }
                }
            }
        }
        if let Some(split) = &mut best {
            split.gain -= self.chance(bins, cells);
        }
        let best = best.filter(|split| split.gain > 0.0);
        self.or_present(best, feature, missing, node)
    }

    /// The part of the gain that is owed to chance: if a column says nothing, dividing each category from the others
    /// gains about 1 per category and output. Few categories gain no more than the thresholds of a number do.
    fn chance(&self, bins: &FeatureBins, cells: &[Cell]) -> f64 {
        const LIKE_NUMBERS: f64 = 7.0;
        let width = self.gradients.n_outputs();
        let mut chance = 0.0;
        let mut n = 0.0;
        for cells in cells[..bins.n_known * width].chunks_exact(width) {
            if cells[0].h == 0 {
                continue;
            }
            n += 1.0;
            for &cell in cells {
                let [_, h] = self.gradients.values(cell);
                chance += h / (h + self.limits.lambda);
            }
        }
        if n <= LIKE_NUMBERS { 0.0 } else { chance * (n - LIKE_NUMBERS) / n }
    }

    /// Which bins of a feature go left.
    fn sides(&self, bins: &FeatureBins, split: &Split, cells: &[Cell]) -> Vec<bool> {
        let width = self.gradients.n_outputs();
        let mut goes_left = vec![false; bins.n_bins().max(256)];
        match &split.at {
            At::Cut([last, _]) => goes_left[..=*last].fill(true),
            At::Present => goes_left[..bins.n_known].fill(true),
            At::Positions { output, threshold } => {
                let cells = &cells[bins.first * width..][..bins.n_bins() * width];
                for (position, category) in self.positions(bins, cells, *output) {
                    goes_left[category] = position <= *threshold;
                }
            }
        }
        if bins.has_missing {
            goes_left[bins.n_known] = split.missing == Missing::Left;
        }
        goes_left
    }

    /// The test of a split, with its zone.
    fn test(
        &self,
        bins: &FeatureBins,
        split: &Split,
        rows: &[u32],
        cells: &[Cell],
        sums: &[Cell],
    ) -> Test {
        let feature = split.feature as u32;
        match &split.at {
            At::Present => Test::is_present(feature),
            At::Cut([last, next]) => {
                let threshold = f64::midpoint(bins.cuts[*last], bins.cuts[*next - 1]);
                let half_width = if self.limits.zone_scale > 0.0 {
                    0.5 * self.limits.zone_scale * self.deviation(bins, rows)
                } else {
                    0.0
                };
                Test::new(feature, Zone::from_checked(threshold, half_width)).with_missing(split.missing)
            }
            At::Positions { output, threshold } => {
                let width = self.gradients.n_outputs();
                let mask = self.gradients.count_mask();
                let cells = &cells[bins.first * width..][..bins.n_bins() * width];
                let mut places: Vec<CategoryPlace> = self
                    .positions(bins, cells, *output)
                    .into_iter()
                    .map(|(position, category)| {
                        let cell = cells[category * width + output];
                        let [_, h] = self.gradients.values(cell);
                        CategoryPlace {
                            category: category as u32,
                            rows: cell.rows(mask),
                            position,
                            standard_error: (1.0 / (h + self.limits.lambda)).sqrt(),
                        }
                    })
                    .collect();
                places.sort_unstable_by_key(|place| place.category);
                let axis = Axis::Direction(vec![-1e300, 1e300]);
                let cut = CategoryCut::new(axis, *threshold, self.limits.category_error, places);
                debug_assert!(!sums.is_empty());
                let cut = cut.expect("the categories of a split lie on both sides of it");
                Test::of_categories(feature, cut).with_missing(split.missing)
            }
        }
    }

    /// The standard deviation of a number among rows: from the moments of its bins.
    fn deviation(&self, bins: &FeatureBins, rows: &[u32]) -> f64 {
        let mut units = vec![0u64; bins.n_bins()];
        rows.iter().for_each(|&row| units[bins.codes.of(row)] += (self.units)(row));
        let counted = || units.iter().zip(&bins.moments).filter(|(units, _)| **units > 0);
        let total: f64 = counted().map(|(&units, _)| units as f64).sum();
        let Some(origin) = counted().next().map(|(_, [mean, _])| *mean) else { return 0.0 };
        let sum: f64 = counted().map(|(&units, [mean, _])| units as f64 * (mean - origin)).sum();
        let mean = origin + sum / total;
        let squares = counted()
            .map(|(&units, [of_bin, variance])| units as f64 * ((of_bin - mean).powi(2) + variance));
        let deviation = (squares.sum::<f64>() / total).sqrt();
        if deviation.is_finite() { deviation } else { f64::MAX / 8.0 }
    }

    /// The tree in preorder.
    fn finish(&self, nodes: Vec<GrowingNode>) -> Result<Grown> {
        let width = self.gradients.n_outputs();
        let mut builder = TreeBuilder::of_values(self.bins.features.len(), width);
        let mut leaves = Vec::new();
        let mut waiting = vec![0];
        while let Some(index) = waiting.pop() {
            let node = &nodes[index];
            let values: Vec<f64> = node
                .sums
                .iter()
                .map(|&sum| {
                    let [g, h] = self.gradients.values(sum);
                    g / (h + self.limits.lambda)
                })
                .collect();
            let rows = (node.end - node.start) as u32;
            let hessian: f64 = node.sums.iter().map(|&sum| self.gradients.values(sum)[1]).sum();
            builder.push(&NodeRecord {
                test: node.children.as_ref().map(|children| &children.test),
                rows: NodeRows::All { rows, weight: hessian.max(f64::MIN_POSITIVE) },
                values: &values,
                impurity: 0.0,
                rows_within: 0,
            });
            match &node.children {
                Some(children) => waiting.extend([children.right, children.left]),
                None => leaves.push(node.sums.clone()),
            }
        }
        Ok(Grown { tree: builder.finish()?, leaves })
    }
}

fn missing_cells<'c>(bins: &FeatureBins, cells: &'c [Cell], width: usize) -> Option<&'c [Cell]> {
    bins.has_missing.then(|| &cells[bins.n_known * width..])
}

/// The node whose best split gains most, the first on ties.
fn best_node(nodes: &[GrowingNode]) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (index, node) in nodes.iter().enumerate() {
        if let Some(split) = &node.best
            && best.is_none_or(|(gain, _)| split.gain > gain)
        {
            best = Some((split.gain, index));
        }
    }
    best.map(|(_, index)| index)
}

/// Adds the gradients of rows to the cells of their bins.
#[inline]
fn add_all<C: Copy + Into<usize>>(
    codes: &[C],
    rows: &[u32],
    gathered: &[Cell],
    cells: &mut [Cell],
    width: usize,
) {
    if width == 1 {
        for (&row, &gradient) in rows.iter().zip(gathered) {
            let cell = &mut cells[codes[row as usize].into()];
            *cell = cell.with(gradient);
        }
        return;
    }
    for (&row, gradients) in rows.iter().zip(gathered.chunks_exact(width)) {
        let bin: usize = codes[row as usize].into();
        let cells = &mut cells[bin * width..][..width];
        cells.iter_mut().zip(gradients).for_each(|(cell, &gradient)| *cell = cell.with(gradient));
    }
}
