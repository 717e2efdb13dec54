//! Data for measuring: made from a fixed seed, the same everywhere.

use ternwood::{Columns, Dataset, Labels};

/// Two normal classes in `n_features` columns; every `coarse`-th column has 64 distinct values.
pub fn two_normals(n_rows: usize, n_features: usize, coarse: Option<usize>) -> Dataset {
    let mut state = 1u64;
    let mut unit = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut values = Vec::with_capacity(n_rows * n_features);
    for column in 0..n_features {
        for row in 0..n_rows {
            let normal = (0..4).map(|_| unit()).sum::<f64>() - 2.0;
            let value = normal + if row % 2 == 0 { 0.3 } else { -0.3 };
            let is_coarse = coarse.is_some_and(|every| column % every == 0);
            values.push(if is_coarse { (value * 16.0).round() } else { value });
        }
    }
    let labels = Labels::from_values((0..n_rows).map(|row| (row % 2) as i32));
    let columns = Columns::from_columns(values, n_features).expect("the lengths fit");
    Dataset::new(columns, labels).expect("the values are finite")
}
