//! What happens to a row that falls into a zone.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What happens to a row that falls into a zone at prediction time.
///
/// | routing | tree shape | a row within a zone |
/// |---|---|---|
/// | `crisp` | any | goes left or right by the threshold alone: plain CART |
/// | `probabilistic` | two children | goes both ways, and again at every zone further down |
/// | `deferred` | two children | goes both ways, by the thresholds alone from there on |
/// | `hard_middle` | three children | goes to the middle child |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// Ignores zones; every row is decided.
    Crisp,
    /// Blends both subtrees, recursively.
    Probabilistic,
    /// Blends both subtrees, each of which predicts like CART.
    Deferred,
    /// Sends the row to a middle subtree.
    HardMiddle,
}

impl Routing {
    /// Every routing, in the order of the table above.
    pub const ALL: [Self; 4] = [Self::Crisp, Self::Probabilistic, Self::Deferred, Self::HardMiddle];

    /// The name in parameters and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Crisp => "crisp",
            Self::Probabilistic => "probabilistic",
            Self::Deferred => "deferred",
            Self::HardMiddle => "hard_middle",
        }
    }

    /// True if it needs trees whose splits have a middle child.
    #[must_use]
    pub fn needs_three_children(self) -> bool {
        self == Self::HardMiddle
    }
}

impl fmt::Display for Routing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
