//! A hash of a row's values, which deals rows to folds.

use crate::dataset::{Feature, FeatureKind, Schema, mix};

/// Hashes rows by their values: numbers by their bits, equal for 0.0 and -0.0 and for all NaN;
/// categories by their names, so that their order does not matter.
pub(super) struct RowHasher {
    /// For each feature, the hashes of its categories' names; empty for numbers.
    names: Vec<Vec<u64>>,
}

impl RowHasher {
    pub(super) fn new(schema: &Schema) -> Self {
        let hash = |name: &String| name.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
        let of_feature = |feature: &Feature| match &feature.kind {
            FeatureKind::Categories(names) => names.iter().map(hash).collect(),
            FeatureKind::Number | FeatureKind::Ordered(_) => Vec::new(),
        };
        Self { names: schema.features().iter().map(of_feature).collect() }
    }

    pub(super) fn hash(&self, row: &[f64]) -> u64 {
        row.iter().zip(&self.names).fold(0, |hash, (&value, names)| {
            let bits = match names.get(value as usize) {
                _ if value.is_nan() => f64::NAN.to_bits(),
                Some(&name) => name,
                None => (value + 0.0).to_bits(),
            };
            mix(hash ^ bits)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_zeros_nor_gaps_nor_the_order_of_categories_matter() {
        let hasher = |categories: [&str; 2]| {
            let features = vec![Feature::number("x"), Feature::categories("ward", categories)];
            RowHasher::new(&Schema::new(features, vec!["a".into()]).unwrap())
        };
        let (there, back) = (hasher(["north", "south"]), hasher(["south", "north"]));
        assert_eq!(there.hash(&[0.0, 0.0]), back.hash(&[-0.0, 1.0]));
        assert_ne!(there.hash(&[0.0, 0.0]), there.hash(&[0.0, 1.0]));
        let other_gap = f64::from_bits(f64::NAN.to_bits() | 1);
        assert_eq!(there.hash(&[f64::NAN, -f64::NAN]), back.hash(&[other_gap, f64::NAN]));
        assert_ne!(there.hash(&[f64::NAN, 0.0]), there.hash(&[0.0, 0.0]));
    }
}
