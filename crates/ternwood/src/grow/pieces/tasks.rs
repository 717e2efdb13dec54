//! Nodes on their way: counted, searched, fetched, or given a zone.

use super::growth::{Finished, Growth};
use super::holder::row_bytes;
use super::messages::Ask;
use super::messages::{Blob, Reply, mismatch};
use super::messages::{Counts, ValueCount};
use super::remote_search::{Asked, Looked, RemoteNode, RemoteSearch};
use super::zone_task::ZoneTask;
use crate::dataset::{Matrix, RowWeights};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::classes::{ClassTraining, Classes, RealCell, Tally, TrainingPart};
use crate::grow::grower::{Grower, PartOf};
use crate::grow::node_rows::Sides;
use crate::grow::nodes::GrownNode;
use crate::grow::search::binned::{BinnedSearch, LiveRow, NodeHistogram};
use crate::grow::search::{SearchRules, SplitChoice};
use std::marker::PhantomData;
use std::sync::Arc;

/// A node on its way, and what it waits for.
#[derive(Debug)]
pub(super) enum Task {
    /// The class counts of a node.
    Count { node: usize },
    /// The class counts of a node and of its larger sibling, which are their parent's without them.
    CountSmaller { node: usize, sibling: usize, parent: Vec<Counts>, open: Vec<usize> },
    /// The values that the search must see.
    Search { node: usize, counts: Vec<Counts>, search: RemoteSearch, asked: Asked },
    /// The rows of a small node.
    Fetch { node: usize },
    /// What the zone of a split depends on.
    Zone(ZoneTask),
}

/// The approximate bytes of a value that is looked at.
const VALUE_BYTES: u64 = 12;

impl Task {
    pub(super) fn asks(&self, growth: &Growth) -> Vec<Ask> {
        match self {
            Self::Count { node } | Self::CountSmaller { node, .. } => {
                vec![Ask::Count { node: *node as u32 }]
            }
            Self::Fetch { node } => vec![Ask::Fetch { node: *node as u32 }],
            Self::Zone(zone) => vec![zone.ask(growth)],
            Self::Search { node, asked: Asked { inside, edge, .. }, .. } => {
                let node = *node as u32;
                let inside = inside.iter().map(|(&feature, bins)| {
                    let bins = bins.iter().copied().collect();
                    Ask::Look { node, feature, bins }
                });
                let edge = edge.map(|(feature, bins)| Ask::Edge { node, feature, bins });
                inside.chain(edge).collect()
            }
        }
    }

    /// About how many bytes the replies will have.
    pub(super) fn reply_bytes(&self, growth: &Growth) -> u64 {
        match self {
            Self::Count { .. } | Self::CountSmaller { .. } => {
                let n_classes = growth.class_factors.len() as u64;
                let n_bins: u64 = growth.setup.bins.iter().map(|bins| bins.n_bins() as u64).sum();
                n_bins * n_classes * 4
            }
            Self::Search { asked, .. } => asked.rows as u64 * VALUE_BYTES,
            Self::Fetch { node } => {
                let rows = growth.nodes[*node].tally.n_rows();
                (rows * row_bytes(growth.columns.len())) as u64
            }
            Self::Zone(zone) => zone.reply_bytes(growth),
        }
    }

    /// The nodes whose subtrees wait for this.
    pub(super) fn growing(&self) -> Vec<usize> {
        match self {
            Self::Count { node } | Self::Fetch { node } | Self::Search { node, .. } => vec![*node],
            Self::CountSmaller { open, .. } => open.clone(),
            Self::Zone(_) => Vec::new(),
        }
    }

    /// Goes on with the replies to its asks.
    pub(super) fn advance(
        self,
        growth: &mut Growth,
        mut replies: Vec<Reply>,
        exec: &Exec,
    ) -> Result<()> {
        match (self, replies.as_mut_slice()) {
            (Self::Count { node }, [Reply::Counts(counts)]) => {
                growth.enter(node, std::mem::take(counts), exec)
            }
            (Self::CountSmaller { node, sibling, mut parent, open }, [Reply::Counts(counts)]) => {
                if parent.len() != counts.len() {
                    return Err(mismatch("it counts other features"));
                }
                parent.iter_mut().zip(&*counts).try_for_each(|(all, part)| all.subtract(part))?;
                if open.contains(&node) {
                    growth.enter(node, std::mem::take(counts), exec)?;
                }
                if open.contains(&sibling) {
                    growth.enter(sibling, parent, exec)?;
                }
                Ok(())
            }
            (Self::Search { node, counts, search, asked }, _) => {
                growth.look(node, counts, search, &asked, replies, exec)
            }
            (Self::Fetch { node }, [Reply::Rows(parts)]) => {
                growth.finish(node, &std::mem::take(parts), exec)
            }
            (Self::Zone(zone), [_]) => zone.advance(growth, replies.swap_remove(0)),
            _ => Err(mismatch("replies to other asks")),
        }
    }
}

impl Growth {
    /// The most rows that one search looks at in one round.
    fn look_rows(&self) -> usize {
        (self.limits.answer_bytes / VALUE_BYTES) as usize
    }

    pub(super) fn histogram(&self, counts: &[Counts]) -> NodeHistogram<RealCell> {
        let unit = self.setup.weights.unit();
        NodeHistogram::from_cells(counts.iter().map(|counts| counts.cells(unit)).collect())
    }

    fn with_search<T>(&self, exec: &Exec, f: impl FnOnce(&BinnedSearch<'_, RealCell>) -> T) -> T {
        self.with_rules(exec, |rules| {
            let rules: SearchRules<'_, Classes> = rules.search;
            f(&BinnedSearch { rules, bins: &self.bins, exec, cells: PhantomData })
        })
    }

    /// Searches the split of a node whose class counts are known.
    pub(super) fn enter(&mut self, node: usize, counts: Vec<Counts>, exec: &Exec) -> Result<()> {
        let n_classes = self.class_factors.len();
        let n_bins = |feature: u32| self.bins.n_bins(feature);
        let suits = (0..).zip(&counts).all(|(feature, counts): (u32, &Counts)| {
            counts.has_length(n_bins(feature) * n_classes)
        });
        if counts.len() != self.columns.len() || !suits {
            return Err(mismatch("it counts other bins"));
        }
        // Every feature counts every row of the node once.
        let unit = self.setup.weights.unit();
        for counts in &counts {
            let tally = Tally::of_cells(&counts.cells(unit), n_classes);
            check_tally(&tally, &self.nodes[node].tally)?;
        }
        let histogram = self.histogram(&counts);
        let tally = &self.nodes[node].tally;
        let search = self
            .with_search(exec, |engine| engine.begin(RemoteNode { tally, histogram: &histogram }));
        self.go_on(node, counts, search, None, exec)
    }

    /// Goes on with a search that has seen more.
    fn look(
        &mut self,
        node: usize,
        counts: Vec<Counts>,
        mut search: RemoteSearch,
        asked: &Asked,
        replies: Vec<Reply>,
        exec: &Exec,
    ) -> Result<()> {
        let (mut looked, mut edge) = (Looked::new(), None);
        let mut features = asked.inside.keys();
        for reply in replies {
            match (reply, features.next()) {
                (Reply::Values(values), Some(&feature)) => {
                    looked.insert(feature, self.live_rows(&values)?);
                }
                (Reply::Edge(values), None) if asked.edge.is_some() => edge = Some(values),
                _ => return Err(mismatch("replies to other asks")),
            }
        }
        let histogram = self.histogram(&counts);
        let tally = &self.nodes[node].tally;
        self.with_search(exec, |engine| {
            let afar = RemoteNode { tally, histogram: &histogram };
            engine.look(&mut search, afar, asked, &looked)
        })?;
        self.go_on(node, counts, search, edge, exec)
    }

    /// Values that were looked at, as the engine sees them.
    fn live_rows(&self, values: &[ValueCount]) -> Result<Vec<LiveRow<Classes>>> {
        let (unit, n_classes) = (self.setup.weights.unit(), self.class_factors.len());
        if values.iter().any(|value| value.class as usize >= n_classes || value.value.is_nan()) {
            return Err(mismatch("values of no class"));
        }
        let live_row = |&ValueCount { value, class, rows, units }: &ValueCount| LiveRow {
            value,
            rows,
            target: (class, units as f64 * unit),
        };
        Ok(values.iter().map(live_row).collect())
    }

    /// Asks on, or makes the split.
    fn go_on(
        &mut self,
        node: usize,
        counts: Vec<Counts>,
        search: RemoteSearch,
        edge: Option<[f64; 2]>,
        exec: &Exec,
    ) -> Result<()> {
        let histogram = self.histogram(&counts);
        let tally = &self.nodes[node].tally;
        let afar = RemoteNode { tally, histogram: &histogram };
        let asked = self.with_search(exec, |engine| engine.asks(&search, afar, self.look_rows()));
        // Nothing can beat an edge whose values are known, once no bin is live.
        let is_over = search.is_over() && edge.is_some();
        if let Some(asked) = asked.filter(|_| !is_over) {
            self.tasks.push(Task::Search { node, counts, search, asked });
            return Ok(());
        }
        let found = self.with_search(exec, |engine| engine.end(search, afar, edge));
        match found {
            Some((choice, sides)) => self.split(node, choice, sides, counts, exec),
            None => Ok(()),
        }
    }

    /// Makes a split: its children, and what is still to be known of them and of its zone.
    fn split(
        &mut self,
        node: usize,
        choice: SplitChoice,
        [below, within]: [Tally; 2],
        counts: Vec<Counts>,
        exec: &Exec,
    ) -> Result<()> {
        let whole = &self.nodes[node].tally;
        let above = whole.without(&below).without(&within);
        let (n_left, n_within) = (below.n_rows(), within.n_rows());
        let sides = Sides {
            left: 0..n_left,
            middle: n_left..n_left + n_within,
            right: n_left + n_within..whole.n_rows(),
        };
        let feature = choice.feature() as usize;
        let (start_of_right, mut nodes) = (sides.right.start, std::mem::take(&mut self.nodes));
        let open = self.with_rules(exec, |rules| {
            let plan = rules.plan(&nodes[node], choice, &[], None)?;
            let tally = |side: std::ops::Range<usize>| match side.start {
                0 => below.clone(),
                start if start == start_of_right => above.clone(),
                _ => within.clone(),
            };
            Some(rules.make_children(&mut nodes, node, plan, sides, tally))
        });
        self.nodes = nodes;
        let Some(open) = open else { return Ok(()) };
        self.zones.resize(self.nodes.len(), None);
        ZoneTask::begin(self, node, counts[feature].clone())?;
        let (fetched, counted): (Vec<usize>, Vec<usize>) =
            open.into_iter().partition(|&child| self.is_small(child));
        self.tasks.extend(fetched.into_iter().map(|node| Task::Fetch { node }));
        if counted.is_empty() {
            return Ok(());
        }
        if n_within > 0 {
            // Rows of rare categories train neither child, so that one is not the rest of the other.
            self.tasks.extend(counted.into_iter().map(|node| Task::Count { node }));
            return Ok(());
        }
        let n_rows = |child: usize| self.nodes[child].tally.n_rows();
        let [left, right] = [self.nodes.len() - 2, self.nodes.len() - 1];
        let (node, sibling) =
            if n_rows(left) <= n_rows(right) { (left, right) } else { (right, left) };
        self.tasks.push(Task::CountSmaller { node, sibling, parent: counts, open: counted });
        Ok(())
    }

    /// True if the rows of a node are to be fetched. With few levels to go, counting takes fewer bytes.
    pub(super) fn is_small(&self, node: usize) -> bool {
        let GrownNode { tally, depth, .. } = &self.nodes[node];
        let levels = self.params.max_depth.map_or(u32::MAX, |most| most.saturating_sub(*depth));
        let halvings = 3_u32.saturating_sub(levels);
        tally.n_rows() <= (self.limits.fetched_rows >> halvings) as usize
    }

    /// Grows the subtree of a node from all its rows.
    fn finish(&mut self, node: usize, parts: &[Blob], exec: &Exec) -> Result<()> {
        let n_features = self.columns.len();
        let rows = FetchedRows::new(parts, n_features, self.class_factors.len())?;
        let training = ClassTraining::from(TrainingPart {
            matrix: Matrix::column_major(&rows.values, n_features)?,
            classes: &rows.classes,
            weights: Arc::new(RowWeights::from_units(self.setup.weights, rows.units)),
            class_factors: self.class_factors.clone(),
            criterion: self.params.criterion,
            columns: Arc::clone(&self.columns),
            rows: (0..rows.classes.len() as u32).collect(),
        });
        let at = &self.nodes[node];
        check_tally(&training.tally(training.rows()), &at.tally)?;
        let part = PartOf { whole: self.whole.clone(), depth: at.depth, key: at.key };
        let grown = Grower::of_part(training, &self.params, part).grow_two_child(exec)?;
        let zones = grown.zones(&self.params.zone)?;
        self.finished.insert(node, Finished { nodes: grown.nodes, zones });
        Ok(())
    }
}

/// Checks that an answer covers the rows of a node, no more and no less.
pub(super) fn check_tally(found: &Tally, expected: &Tally) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (found.n_rows(), expected.n_rows());
    let problem = format!(
        "it covers {found} rows, and {expected} were expected; was a partition left out, answered twice, \
         or changed since the first question?"
    );
    Err(crate::error::ErrorKind::Pieces { problem }.into())
}

/// Rows that were fetched, from all pieces.
struct FetchedRows {
    /// Feature by feature.
    values: Vec<f64>,
    classes: Vec<u32>,
    units: Vec<u64>,
}

impl FetchedRows {
    fn new(parts: &[Blob], n_features: usize, n_classes: usize) -> Result<Self> {
        let row_bytes = row_bytes(n_features);
        if parts.iter().any(|Blob(bytes)| bytes.len() % row_bytes != 0) {
            return Err(mismatch("rows of another length"));
        }
        let (mut classes, mut units) = (Vec::new(), Vec::new());
        let mut columns = vec![Vec::new(); n_features];
        for Blob(bytes) in parts {
            let n_rows = bytes.len() / row_bytes;
            let (of_classes, rest) = bytes.split_at(n_rows * size_of::<u32>());
            let (of_units, rest) = rest.split_at(n_rows * size_of::<u64>());
            classes.extend(of_classes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
            units.extend(of_units.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)));
            let values = rest.chunks_exact((n_rows * size_of::<f64>()).max(1));
            for (column, bytes) in columns.iter_mut().zip(values) {
                column.extend(bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)));
            }
        }
        if classes.iter().any(|&class| class as usize >= n_classes) {
            return Err(mismatch("rows of no class"));
        }
        Ok(Self { values: columns.concat(), classes, units })
    }
}
