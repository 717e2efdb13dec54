//! Tidy tree layout: children in order, parents centred above their children, subtrees as close as
//! their outlines allow (after Reingold and Tilford). No recursion.

/// A box to place: the index of its parent (which precedes it) and its width.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeBox {
    pub(super) parent: Option<usize>,
    pub(super) width: f64,
}

/// The centres of all boxes. Boxes on a level are at least `gap` apart; the leftmost edge is at 0.
pub(super) fn centers(boxes: &[TreeBox], gap: f64) -> Vec<f64> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); boxes.len()];
    for (index, tree_box) in boxes.iter().enumerate() {
        if let Some(parent) = tree_box.parent {
            children[parent].push(index);
        }
    }
    // Bottom up: the position of each child relative to its parent.
    let mut offsets = vec![0.0; boxes.len()];
    let mut outlines: Vec<Outline> = (0..boxes.len()).map(|_| Outline::default()).collect();
    for index in (0..boxes.len()).rev() {
        let own: Vec<Outline> =
            children[index].iter().map(|&child| std::mem::take(&mut outlines[child])).collect();
        let (places, mut outline) = side_by_side(own, gap);
        let middle = match (places.first(), places.last()) {
            (Some(first), Some(last)) => (first + last) / 2.0,
            _ => 0.0,
        };
        for (&child, place) in children[index].iter().zip(&places) {
            offsets[child] = place - middle;
        }
        outline.shift -= middle;
        outline.push_root(boxes[index].width);
        outlines[index] = outline;
    }
    // Top down: absolute positions.
    let mut centers = offsets;
    for index in 0..boxes.len() {
        if let Some(parent) = boxes[index].parent {
            centers[index] += centers[parent];
        }
    }
    let edges = centers.iter().zip(boxes).map(|(center, tree_box)| center - tree_box.width / 2.0);
    let leftmost = edges.fold(f64::INFINITY, f64::min);
    centers.iter().map(|center| center - leftmost).collect()
}

/// The left and right edge of a subtree at every level, the top level last. Adding `shift` makes
/// them relative to the root's centre.
#[derive(Debug, Default)]
struct Outline {
    levels: Vec<(f64, f64)>,
    shift: f64,
}

impl Outline {
    fn push_root(&mut self, width: f64) {
        self.levels.push((-width / 2.0 - self.shift, width / 2.0 - self.shift));
    }

    /// The edges from the top level down.
    fn edges(&self) -> impl Iterator<Item = (f64, f64)> {
        let shift = self.shift;
        self.levels.iter().rev().map(move |&(left, right)| (left + shift, right + shift))
    }

    /// The distance to move `right` so that it is `gap` clear of this outline.
    fn clearance(&self, right: &Self, gap: f64) -> f64 {
        let pairs = self.edges().zip(right.edges());
        pairs.map(|(a, b)| a.1 + gap - b.0).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Both outlines as one, with `right` to the right of this one. Visits only the levels that
    /// both have.
    fn joined(self, right: Self) -> Self {
        let (mut deep, shallow, deep_is_left) = if self.levels.len() >= right.levels.len() {
            (self, right, true)
        } else {
            (right, self, false)
        };
        let below = deep.levels.len() - shallow.levels.len();
        let move_by = shallow.shift - deep.shift;
        for (wide, add) in deep.levels[below..].iter_mut().zip(&shallow.levels) {
            if deep_is_left {
                wide.1 = add.1 + move_by;
            } else {
                wide.0 = add.0 + move_by;
            }
        }
        deep
    }
}

/// Places subtrees next to each other and centres a middle one if it has room to spare. Returns
/// their centres and their joint outline.
fn side_by_side(outlines: Vec<Outline>, gap: f64) -> (Vec<f64>, Outline) {
    let mut places: Vec<f64> = Vec::with_capacity(outlines.len());
    for (index, outline) in outlines.iter().enumerate() {
        let clear = (0..index)
            .map(|before| places[before] + outlines[before].clearance(outline, gap))
            .fold(f64::NEG_INFINITY, f64::max);
        places.push(if index == 0 { 0.0 } else { clear });
    }
    if let [left, middle, right] = outlines.as_slice() {
        let low = places[0] + left.clearance(middle, gap);
        let high = places[2] - middle.clearance(right, gap);
        places[1] = (low + high.max(low)) / 2.0;
    }
    let placed = outlines.into_iter().zip(&places).map(|(mut outline, place)| {
        outline.shift += place;
        outline
    });
    let all = placed.reduce(Outline::joined).unwrap_or_default();
    (places, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree_box(parent: Option<usize>, width: f64) -> TreeBox {
        TreeBox { parent, width }
    }

    #[test]
    fn parents_are_centred_above_their_children() {
        let boxes = [tree_box(None, 30.0), tree_box(Some(0), 20.0), tree_box(Some(0), 40.0)];
        // Centres 0 and 20/2 + 10 + 40/2 = 40; the parent at 20. The left edge is at -10.
        assert_eq!(centers(&boxes, 10.0), [30.0, 10.0, 50.0]);
    }

    #[test]
    fn a_middle_child_is_centred_between_its_neighbours() {
        // The outer children have wide children of their own; the middle one is a leaf.
        let boxes = [
            tree_box(None, 10.0),
            tree_box(Some(0), 10.0),
            tree_box(Some(1), 50.0),
            tree_box(Some(0), 10.0),
            tree_box(Some(0), 10.0),
            tree_box(Some(4), 50.0),
        ];
        let centers = centers(&boxes, 10.0);
        assert_eq!(centers[5] - centers[2], 60.0);
        assert_eq!(centers[3], (centers[1] + centers[4]) / 2.0);
        assert_eq!(centers[0], centers[3]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let boxes: Vec<TreeBox> =
            (0..50_000usize).map(|i| tree_box(i.checked_sub(1), 10.0)).collect();
        assert!(centers(&boxes, 10.0).iter().all(|&center| center == 5.0));
    }

    /// Random tree shapes from a small generator.
    #[test]
    fn boxes_on_a_level_keep_the_gap() {
        let mut state = 1u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
            (state >> 33) % bound
        };
        for _ in 0..300 {
            // Preorder: the parent of each node is on the current path.
            let mut path: Vec<usize> = vec![0];
            let mut boxes = vec![tree_box(None, 10.0 + random(90) as f64)];
            let mut depths = vec![0];
            for index in 1..=(1 + random(60) as usize) {
                path.truncate(1 + random(path.len() as u64) as usize);
                depths.push(path.len());
                boxes.push(tree_box(Some(path[path.len() - 1]), 10.0 + random(90) as f64));
                path.push(index);
            }
            let centers = centers(&boxes, 7.0);
            for (i, a) in boxes.iter().enumerate() {
                for (j, b) in boxes.iter().enumerate().skip(i + 1) {
                    if depths[i] == depths[j] {
                        // In preorder, later nodes of a level are further right.
                        let distance = centers[j] - b.width / 2.0 - centers[i] - a.width / 2.0;
                        assert!(distance >= 7.0 - 1e-9, "{distance}");
                    }
                }
            }
        }
    }
}
