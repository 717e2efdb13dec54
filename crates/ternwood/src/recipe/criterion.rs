//! The impurity criterion.

use serde::{Deserialize, Serialize};

/// The impurity that splits reduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// `1 - sum p_k^2`: the chance that two rows drawn from a node differ in class.
    Gini,
    /// `-sum p_k log2 p_k`, in bits.
    Entropy,
}

impl Criterion {
    /// The name in parameters and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gini => "gini",
            Self::Entropy => "entropy",
        }
    }
}
