//! Sizes of the parts of a tree, from roomy to small.

use crate::palette::{GREY, INK};
use crate::text::{Font, width};
use ternwood::tree::Test;

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
pub(super) struct Style {
    pub(super) split_width: f64,
    pub(super) leaf_width: f64,
    /// The height of plots, if any.
    plot: Option<f64>,
    /// True if there are rows to make histograms of.
    has_data: bool,
    /// The height of the range or the names below a plot.
    pub(super) range: f64,
    pub(super) name: f64,
    pub(super) small: f64,
    pub(super) pad: f64,
    pub(super) bar: f64,
    pub(super) gap: (f64, f64),
    /// The width of the widest edge.
    pub(super) flow: f64,
    pub(super) max_bars: usize,
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
    pub(super) fn of(detail: Detail, leaves: usize, has_data: bool) -> Self {
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
    pub(super) fn with_leaves_for<'a>(self, names: impl Iterator<Item = &'a str>) -> Self {
        let needed = |name: &str| width(name, self.name_font()) + 2.0 * self.pad;
        let widest = names.map(needed).fold(self.leaf_width, f64::max);
        Self { leaf_width: widest.min(self.split_width), ..self }
    }

    /// The height of the plot in a split, if it has one. Only histograms need data.
    pub(super) fn plot(&self, test: &Test) -> Option<f64> {
        self.plot.filter(|_| self.has_data || test.zone().is_none())
    }

    pub(super) fn name_font(&self) -> Font {
        Font::bold(self.name, INK)
    }

    pub(super) fn zone_font(&self) -> Font {
        Font::plain(self.name - 0.5, INK)
    }

    pub(super) fn small_font(&self) -> Font {
        Font::plain(self.small, GREY)
    }

    pub(super) fn caption_font(&self) -> Font {
        Font::plain(self.small, INK)
    }

    /// The distance from the baseline of a name to what follows it.
    pub(super) fn below_name(&self) -> f64 {
        0.6 * self.name
    }

    /// The size of a split's box.
    pub(super) fn split_size(&self, test: &Test) -> (f64, f64) {
        let words = 1.5 * self.name + 1.4 * self.small + 0.8 * self.pad;
        match self.plot(test) {
            Some(plot) => (self.split_width, self.above() + plot + self.range + words),
            // What has no plot in any style has a width for it already.
            None if self.plot.is_none() => (self.split_width, self.above() + self.bar + words),
            None => (0.78 * self.split_width, self.above() + self.bar + words),
        }
    }

    /// The size of a leaf's box.
    pub(super) fn leaf_size(&self) -> (f64, f64) {
        (self.leaf_width, self.above() + self.bar + 1.5 * self.small + 0.8 * self.pad)
    }

    /// The height of the name and all above it.
    fn above(&self) -> f64 {
        self.pad + 0.8 * self.name + self.below_name()
    }
}
