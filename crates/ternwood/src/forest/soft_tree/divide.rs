//! A zone divides parts of rows.

use super::edges::{Edges, Place};
use super::flow::Parts;
use super::lists::beyond;
use super::part::{LEAST_SHARE, Part, is_bound};
use super::{ColumnBlock, SoftNode, SoftTree, Walk};

impl SoftTree {
    /// Divides the free parts of a node, which begin at `start`, as its zone says. What is added to its children is in
    /// `new_free` and `new_bound`; `values` are then those of the parts that are left, and tell where they go.
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
            free, values, near, gone, numbering, shares, n_parts, new_free, new_bound, ..
        } = memory;
        let parts = &mut free[start..];
        block.gather(feature, parts.iter().map(|part| numbering.row(part.number())), values);
        near.resize(near.len().max(parts.len()), 0);
        gone.resize(near.len(), 0);
        let n_near = if block.is_complete && edges.can_tell_near() {
            edges.find_near(values, parts, near)
        } else {
            near.iter_mut().zip(0..parts.len() as u32).for_each(|(near, at)| *near = at);
            parts.len()
        };
        new_free.reserve(n_near);
        new_bound.reserve(n_near);
        // Every part is written wherever it could go, but counts only where it belongs: no branch to mispredict.
        // The counts have names of their own, so that the compiler keeps them at hand.
        let (mut n_free, mut n_bound, mut n_gone) = ([0; 2], [0; 2], 0);
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
            let row = numbering.row(number);
            let share = shares[number as usize];
            let left = share * left_share;
            let right = share - left;
            let is_divided = (left >= LEAST_SHARE) & (right >= LEAST_SHARE);
            if !is_divided {
                parts[at] = Part::new(number, share);
                values[at] = beyond(goes_left);
                continue;
            }
            // The larger of two parts takes the place of the one that is divided.
            let (kept, sent) = (left.max(right), left.min(right));
            let is_left_kept = left >= right;
            let (here, there) = (usize::from(!is_left_kept), usize::from(is_left_kept));
            let other = numbering.next(row, n_parts[row]);
            n_parts[row] += 1;
            shares[number as usize] = kept;
            shares[other as usize] = sent;
            parts[at] = Part::new(number, kept);
            values[at] = beyond(is_left_kept);
            new_bound.items[here][n_bound[here]] = number;
            n_bound[here] += usize::from(is_bound(kept));
            gone[n_gone] = near;
            n_gone += usize::from(is_bound(kept));
            new_bound.items[there][n_bound[there]] = other;
            n_bound[there] += usize::from(is_bound(sent));
            new_free.items[there][n_free[there]] = Part::new(other, sent);
            n_free[there] += usize::from(!is_bound(sent));
        }
        (new_free.lengths, new_bound.lengths) = (n_free, n_bound);
        // From the end, so that what takes the place of a part that goes is not one of them.
        for &at in gone[..n_gone].iter().rev() {
            free.swap_remove(start + at as usize);
            values.swap_remove(at as usize);
        }
    }
}
