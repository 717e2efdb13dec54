//! Lists of what is at every node still to be passed, one after the other: what is at the present node comes last.

/// Puts what goes right before what goes left, by values and threshold; returns how much goes right.
#[inline(always)]
pub(super) fn part<T: Copy>(list: &mut [T], values: &[f64], threshold: f64) -> usize {
    let mut n_right = 0;
    // Every item trades places, if only with itself: no branch to mispredict.
    for (at, &x) in values[..list.len()].iter().enumerate() {
        list.swap(at, n_right);
        n_right += usize::from(x > threshold);
    }
    n_right
}

/// A value on the wanted side of every threshold.
pub(super) fn beyond(goes_left: bool) -> f64 {
    if goes_left { f64::NEG_INFINITY } else { f64::INFINITY }
}

/// What is new at both children of a node, the left one first, in memory that is used again.
#[derive(Debug, Clone, Default)]
pub(super) struct New<T> {
    /// Only the first ones are meant.
    pub(super) items: [Vec<T>; 2],
    pub(super) lengths: [usize; 2],
}

impl<T: Copy + Default> New<T> {
    /// Makes room for this much, and one more that is written in vain, on either side.
    pub(super) fn reserve(&mut self, room: usize) {
        for items in &mut self.items {
            if items.len() <= room {
                items.resize(room + 1, T::default());
            }
        }
    }

    /// Moves all to a list that ends with what goes right and, from `middle` on, left. Returns where that is then.
    pub(super) fn move_to(&mut self, list: &mut Vec<T>, middle: usize) -> usize {
        let [n_left, n_right] = std::mem::take(&mut self.lengths);
        if n_left + n_right == 0 {
            return middle;
        }
        // What is in the way goes to the end: within a node, no order matters.
        let length = list.len() + n_right;
        let moved = n_right.min(list.len() - middle);
        list.resize(length, T::default());
        list.copy_within(middle..middle + moved, length - moved);
        let [lefts, rights] = &self.items;
        list[middle..middle + n_right].copy_from_slice(&rights[..n_right]);
        list.extend_from_slice(&lefts[..n_left]);
        middle + n_right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_right_comes_first() {
        let mut list: Vec<usize> = (0..7).collect();
        let values = [2.0, 1.0, 0.5, f64::INFINITY, 3.0, f64::NEG_INFINITY, 1.5];
        let n_right = part(&mut list, &values, 1.0);
        let mut rights = list[..n_right].to_vec();
        rights.sort_unstable();
        assert_eq!(rights, [0, 3, 4, 6]);
        list.sort_unstable();
        assert_eq!(list, [0, 1, 2, 3, 4, 5, 6], "nothing is lost");
    }

    #[test]
    fn what_is_new_joins_both_sides() {
        for (n_right, n_left, new_right, new_left) in
            [(2, 3, 1, 2), (2, 3, 3, 0), (2, 1, 3, 1), (0, 2, 2, 2), (2, 0, 1, 1), (1, 1, 0, 0)]
        {
            let items = [vec![20; 4], vec![10; 4]];
            let mut new = New { items, lengths: [new_left, new_right] };
            // Another node's, then what goes right and left at this one.
            let mut list = vec![0];
            list.extend(vec![1; n_right]);
            list.extend(vec![2; n_left]);
            let middle = new.move_to(&mut list, 1 + n_right);
            let mut wanted = [vec![1; n_right], vec![10; new_right]].concat();
            assert_eq!(list[0], 0);
            assert_eq!(list[1..middle], wanted);
            wanted = [vec![2; n_left], vec![20; new_left]].concat();
            assert_eq!(list[middle..], wanted);
            assert_eq!(new.lengths, [0, 0]);
        }
    }
}
