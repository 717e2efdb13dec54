//! A zone divides parts of rows.

use super::edges::{Edges, Place};
use super::flow::{Division, Parts};
use super::lists::beyond;
use super::part::Part;
use super::{ColumnBlock, SoftNode, SoftTree, Walk};
use std::hint::select_unpredictable;

impl SoftTree {
    /// Divides the free parts of a node, which begin at `start`, as its zone says. Parts that are new come last in
    /// their lists. `values` are then those of the free parts, `sides` those of the new bound ones, and tell where
    /// they go.
    pub(super) fn divide(
        &self,
        walk: Walk<'_>,
        node: u32,
        block: ColumnBlock<'_>,
        start: usize,
        memory: &mut Parts,
    ) {
        let SoftNode { threshold, feature, .. } = self.nodes[node as usize];
        let edges = Edges::new(threshold, self.width(walk, node));
        let Parts {
            free,
            bound,
            values,
            sides,
            near,
            gone,
            numbering,
            shares,
            n_parts,
            divisions,
            ..
        } = memory;
        let least_share = walk.least_share();
        let parts = &free[start..];
        block.gather(feature, parts.iter().map(|part| numbering.row(part.number())), values);
        near.resize(near.len().max(parts.len()), 0);
        let n_near = if block.is_complete && edges.can_tell_near() {
            edges.find_near(values, parts, least_share, near)
        } else {
            near.iter_mut().zip(0..parts.len() as u32).for_each(|(near, at)| *near = at);
            parts.len()
        };
        let (mut n_free, mut n_bound, mut n_gone) = (parts.len(), 0, 0);
        let first_bound = bound.len();
        // Room for all that may be new, and for one more that is written in vain.
        free.resize(start + n_free + n_near + 1, Part::default());
        values.resize(n_free + n_near + 1, 0.0);
        bound.resize(first_bound + 2 * n_near + 1, 0);
        sides.resize(2 * n_near + 1, 0.0);
        gone.resize(n_near + 1, 0);
        let (parts, new_bound) = (&mut free[start..], &mut bound[first_bound..]);
        // Every part is written wherever it could go, but counts only where it belongs: no branch to mispredict.
        for &near in &near[..n_near] {
            let at = near as usize;
            let (part, x) = (parts[at], values[at]);
            let is_rare = x.is_nan() | threshold.is_nan();
            let Place { left_share, goes_left, is_unsure } =
                if is_rare { walk.rare(node, x) } else { edges.place(x) };
            if !is_unsure {
                values[at] = beyond(goes_left);
                continue;
            }
            let number = part.number();
            let share = shares[number as usize];
            let left = share * left_share;
            let right = share - left;
            if !least_share.allows(left, right) {
                parts[at] = Part::new(number, share);
                values[at] = beyond(goes_left);
                continue;
            }
            // The larger of two parts takes the place of the one that is divided.
            let is_left_kept = left >= right;
            let here = select_unpredictable(is_left_kept, beyond(true), beyond(false));
            // As integers, positive numbers have the same order, and processors choose without a branch.
            let (left, right) = (left.to_bits(), right.to_bits());
            let (kept, sent) = (f64::from_bits(left.max(right)), f64::from_bits(left.min(right)));
            let row = numbering.row(number);
            let other = numbering.next(row, n_parts[row]);
            n_parts[row] += 1;
            let right_share = 1.0 - left_share;
            divisions.push(Division {
                parts: [number, other],
                weights: [
                    select_unpredictable(is_left_kept, left_share, right_share),
                    select_unpredictable(is_left_kept, right_share, left_share),
                ],
            });
            shares[number as usize] = kept;
            shares[other as usize] = sent;
            parts[at] = Part::new(number, kept);
            values[at] = here;
            gone[n_gone] = near;
            n_gone += usize::from(least_share.binds(kept));
            new_bound[n_bound] = number;
            sides[n_bound] = here;
            n_bound += usize::from(least_share.binds(kept));
            new_bound[n_bound] = other;
            sides[n_bound] = -here;
            n_bound += usize::from(least_share.binds(sent));
            parts[n_free] = Part::new(other, sent);
            values[n_free] = -here;
            n_free += usize::from(!least_share.binds(sent));
        }
        free.truncate(start + n_free);
        values.truncate(n_free);
        bound.truncate(first_bound + n_bound);
        sides.truncate(n_bound);
        // From the end, so that what takes the place of a part that goes is not one of them.
        for &at in gone[..n_gone].iter().rev() {
            free.swap_remove(start + at as usize);
            values.swap_remove(at as usize);
        }
    }
}
