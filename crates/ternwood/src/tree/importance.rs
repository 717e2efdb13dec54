//! Feature importance.

use super::node::Node;
use super::tree::Tree;

impl Tree {
    /// The impurity importance of every feature: the weighted impurity decrease of its splits, as
    /// a share of the total decrease. Sums to 1, or to 0 for a single leaf.
    ///
    /// Middle children count too.
    #[must_use]
    pub fn importances(&self) -> Vec<f64> {
        let mut importances = vec![0.0; self.n_features()];
        for id in self.ids() {
            let Node::Split(split) = self.node(id) else { continue };
            let before = self.weight(id) * self.impurity(id);
            let after: f64 = split
                .children()
                .filter(|&child| !self.stands_in(id, child))
                .map(|child| self.weight(child) * self.impurity(child))
                .sum();
            let after = after + self.untrained_weight(id) * self.impurity(id);
            importances[split.test.feature().index()] += before - after;
        }
        // Rows that train no child may be purer than the others, which then seem to lose.
        importances.iter_mut().for_each(|importance| *importance = importance.max(0.0));
        // Divide by the largest first: the sum of weighted impurities may be huge.
        let largest = importances.iter().copied().fold(0.0, f64::max);
        if largest > 0.0 {
            importances.iter_mut().for_each(|importance| *importance /= largest);
            let total: f64 = importances.iter().sum();
            importances.iter_mut().for_each(|importance| *importance /= total);
        }
        importances
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::{NodeRecord, NodeRows, Test, TreeBuilder, Zone};

    fn push(builder: &mut TreeBuilder, feature: Option<u32>, counts: [f64; 2], rows_within: u32) {
        let total = counts[0] + counts[1];
        let shares = counts.map(|count| count / total);
        let test = feature.map(|feature| Test::new(feature, Zone::crisp(0.0).unwrap()));
        builder.push(&NodeRecord {
            test: test.as_ref(),
            rows: NodeRows::OfClasses { rows: &counts.map(|count| count as u32), weights: &counts },
            values: &shares,
            impurity: 1.0 - shares[0] * shares[0] - shares[1] * shares[1],
            rows_within,
        });
    }

    #[test]
    fn all_three_children_count_but_not_a_stand_in() {
        let mut builder = TreeBuilder::three_child(2, 2);
        push(&mut builder, Some(0), [6.0, 6.0], 4); // 12 * 0.5 = 6
        push(&mut builder, None, [4.0, 0.0], 0); // 4 * 0 = 0
        push(&mut builder, Some(1), [2.0, 2.0], 0); // 4 * 0.5 = 2: the middle child
        push(&mut builder, None, [2.0, 0.0], 0);
        push(&mut builder, None, [2.0, 2.0], 0); // no row within: stands in for its parent
        push(&mut builder, None, [0.0, 2.0], 0);
        push(&mut builder, None, [0.0, 4.0], 0); // 4 * 0 = 0
        let tree = builder.finish().unwrap();
        // Feature 0 removed 6 - (0 + 2 + 0) = 4, feature 1 removed 2 - (0 + 0) = 2.
        assert_eq!(tree.importances(), [4.0 / 6.0, 2.0 / 6.0]);
    }
}
