//! Parts of rows.

/// How parts are numbered: first the rows, each of which is a part at first, then the second parts of all rows, and so
/// on. So shares of neighbours lie close together. Holds the room for each, a power of two.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Numbering(u32);

impl Numbering {
    pub(super) fn new(n_rows: usize) -> Self {
        Self((n_rows as u32).next_power_of_two())
    }

    /// The first number that no part has, if a row has at most so many.
    pub(super) fn end(self, most_parts: usize) -> usize {
        self.0 as usize * most_parts
    }

    #[inline(always)]
    pub(super) fn row(self, number: u32) -> usize {
        (number & (self.0 - 1)) as usize
    }

    /// The next part of a row that has some.
    #[inline(always)]
    pub(super) fn next(self, row: usize, n_parts: u32) -> u32 {
        row as u32 + n_parts * self.0
    }
}

/// A part of a row to which zones still matter: its share and its number. Both in one, because parts are moved all
/// the time: the share, with the part's number in place of its last digits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part(u64);

impl Part {
    pub(super) fn new(number: u32, share: f64) -> Self {
        Self(share.to_bits() >> 32 << 32 | u64::from(number))
    }

    /// A row that has met no zone. To meet one matters, even at its edge, where nothing is divided: so the share
    /// is larger than that of any part.
    pub(super) fn sure(row: u32) -> Self {
        Self::new(row, 1e30)
    }

    #[inline(always)]
    pub(super) fn is_sure(self) -> bool {
        self.rounded_share() > 2.0
    }

    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.0 as u32
    }

    /// To a millionth of it.
    #[inline(always)]
    pub(super) fn rounded_share(self) -> f64 {
        f64::from_bits(self.0)
    }
}
