//! Points and rectangles, in pixels; y grows downwards.

/// A point on the canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// A rectangle with its upper left corner at `(x, y)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) w: f64,
    pub(crate) h: f64,
}

pub(crate) fn at(x: f64, y: f64) -> Point {
    Point { x, y }
}

impl Rect {
    pub(crate) fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w, h }
    }

    /// The rectangle between two vertical edges, given in either order.
    pub(crate) fn between(left: f64, right: f64, rows: (f64, f64)) -> Self {
        Self::new(left.min(right), rows.0, (right - left).abs(), rows.1 - rows.0)
    }

    pub(crate) fn right(self) -> f64 {
        self.x + self.w
    }

    pub(crate) fn bottom(self) -> f64 {
        self.y + self.h
    }

    pub(crate) fn center_x(self) -> f64 {
        self.x + self.w / 2.0
    }

    pub(crate) fn center_y(self) -> f64 {
        self.y + self.h / 2.0
    }

    /// True if the two share more than an edge.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// True if `other` lies inside.
    #[cfg(test)]
    pub(crate) fn contains(self, other: Self) -> bool {
        self.x <= other.x
            && self.y <= other.y
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }
}
