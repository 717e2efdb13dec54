//! What a node tells when the mouse is over it.

use super::card::Cards;
use crate::number::percent;
use crate::palette::NAMED;
use ternwood::VerdictPolicy;
use ternwood::recipe::MissingValues;
use ternwood::tree::{Cut, Missing, NodeId, Side, Split};

impl Cards<'_> {
    pub(super) fn split_tooltip(&self, id: NodeId, split: &Split, cut: &str) -> String {
        let (tree, schema) = (self.model.tree(), self.model.schema());
        let name = &schema.features()[split.test.feature().index()].name;
        let (rows, within) = (tree.rows(id), tree.rows_within(id));
        let mut lines = vec![format!("{name}: {cut}")];
        let three = split.middle.is_some();
        let branch = |side| split.test.describe_branch(side, three, schema);
        match split.test.cut() {
            Cut::Threshold { .. } => lines.push(format!("{rows} rows, {within} in the zone")),
            Cut::Categories(_) => {
                lines.push(format!("left: {}", branch(Side::Below)));
                lines.push(format!("right: {}", branch(Side::Above)));
                let unsure = split.test.describe_unsure(within, schema);
                lines.push(format!("{rows} rows, {}", unsure.as_deref().unwrap_or("0 unsure")));
            }
            Cut::Present => {
                let [present, missing] = [split.left, split.right].map(|child| tree.rows(child));
                lines.push(format!("{rows} rows: {present} present, {missing} missing"));
            }
        }
        lines.extend(self.unknown_lines(split));
        lines.push(self.class_lines(id));
        lines.join("\n")
    }

    /// Where missing values and unseen categories go.
    fn unknown_lines(&self, split: &Split) -> Vec<String> {
        let undecided = match self.model.verdict() {
            VerdictPolicy::Zones { .. } => ", undecided",
            VerdictPolicy::Confidence(_) | VerdictPolicy::Catch(_) | VerdictPolicy::Costs(_) => "",
        };
        let both_ways = match split.middle {
            Some(_) => format!("goes to the middle{undecided}"),
            None => {
                let left = percent(split.test.unknown_left());
                format!("goes both ways{undecided} ({left} left)")
            }
        };
        let refused = self.model.recipe().params.missing == MissingValues::Error;
        let mut lines = Vec::new();
        match (split.test.cut(), split.test.missing()) {
            (Cut::Present, _) => {}
            (_, Missing::Unknown) if refused => {}
            (_, Missing::Unknown) => lines.push(format!("missing {both_ways}")),
            _ => lines.extend(split.test.describe_missing().map(str::to_owned)),
        }
        if split.test.categories().is_some() {
            lines.push(format!("an unknown category {both_ways}"));
        }
        lines
    }

    pub(super) fn leaf_tooltip(&self, id: NodeId, stands_in: bool) -> String {
        let rows = if stands_in { 0 } else { self.model.tree().rows(id) };
        format!("{rows} rows\n{}", self.class_lines(id))
    }

    fn class_lines(&self, id: NodeId) -> String {
        let shares = self.model.tree().values(id).iter().enumerate();
        let mut shares: Vec<(usize, f64)> = shares.map(|(c, &p)| (c, p)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        let lines = shares.iter().take(NAMED).filter(|(_, share)| *share > 0.0);
        let lines = lines.map(|&(c, p)| format!("{}: {p:.3}", self.classes.name(c)));
        lines.collect::<Vec<_>>().join("\n")
    }
}
