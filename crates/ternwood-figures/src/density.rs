//! Density curves: Gaussian kernels on a fine grid.

use crate::axis::Scale;
use crate::histogram::Counted;

/// The number of points along the x axis at which densities are computed.
pub(crate) const POINTS: usize = 201;

/// Cells to bin values into first, so that the cost does not depend on the number of rows.
const CELLS: usize = 600;

/// The density of every slot at [`POINTS`] points from the low to the high end of `across`. The
/// area of each slot is its share of all rows; the bandwidth is Silverman's, per slot.
pub(crate) fn densities(values: &[Counted], n_slots: usize, across: Scale) -> Vec<Vec<f64>> {
    let mut cells = vec![vec![0.0; CELLS]; n_slots];
    let mut total = 0.0;
    for &(value, slot, rows) in values {
        let cell = (across.fraction(value) * (CELLS - 1) as f64).round() as usize;
        cells[slot][cell] += f64::from(rows);
        total += f64::from(rows);
    }
    let min_width = min_bandwidth(values, across);
    cells.iter().map(|cells| smoothed(cells, total.max(1.0), min_width)).collect()
}

/// The minimum bandwidth: whole numbers far apart need a kernel about as wide as their distance.
fn min_bandwidth(values: &[Counted], across: Scale) -> f64 {
    let whole = values.iter().all(|value| value.0.fract() == 0.0);
    let (low, high) = across.ends();
    let step = 1.0 / (high - low);
    if whole && step.is_finite() { (0.45 * step).min(0.1) } else { 0.0 }
}

fn smoothed(cells: &[f64], total: f64, min_width: f64) -> Vec<f64> {
    let place = |cell: usize| cell as f64 / (CELLS - 1) as f64;
    let rows: f64 = cells.iter().sum();
    if rows == 0.0 {
        return vec![0.0; POINTS];
    }
    let mean = cells.iter().enumerate().map(|(i, n)| n * place(i)).sum::<f64>() / rows;
    let square = |i: usize| (place(i) - mean) * (place(i) - mean);
    let spread = (cells.iter().enumerate().map(|(i, n)| n * square(i)).sum::<f64>() / rows).sqrt();
    let middle_half =
        place(quantile_cell(cells, 0.75 * rows)) - place(quantile_cell(cells, 0.25 * rows));
    let spread = if middle_half > 0.0 { spread.min(middle_half / 1.34) } else { spread };
    let bandwidth = (0.9 * spread * rows.powf(-0.2)).max(min_width).max(0.004);
    (0..POINTS)
        .map(|point| {
            let x = point as f64 / (POINTS - 1) as f64;
            let near = cells.iter().enumerate().filter(|(_, n)| **n > 0.0);
            let sum: f64 = near
                .map(|(i, n)| {
                    let z = (x - place(i)) / bandwidth;
                    n * (-0.5 * z * z).exp()
                })
                .sum();
            sum / (total * bandwidth * std::f64::consts::TAU.sqrt())
        })
        .collect()
}

/// The first cell at which the cumulative count reaches `wanted` rows.
fn quantile_cell(cells: &[f64], wanted: f64) -> usize {
    let mut seen = 0.0;
    let cell = cells.iter().position(|rows| {
        seen += rows;
        seen >= wanted
    });
    cell.unwrap_or(cells.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_under_each_curve_is_its_share() {
        let values: Vec<Counted> =
            (0..400).map(|i| (0.3 + 0.001 * f64::from(i), (i % 4).min(1) as usize, 1)).collect();
        let densities = densities(&values, 2, Scale::new((0.0, 1.0), (0.0, 1.0)));
        for (density, share) in densities.iter().zip([0.25, 0.75]) {
            let area = density.iter().sum::<f64>() / (POINTS - 1) as f64;
            assert!((area - share).abs() < 0.01, "{area} for {share}");
        }
    }

    #[test]
    fn empty_and_extreme_input_gives_finite_densities() {
        let across = Scale::new((-1.7e308, 1.7e308), (0.0, 1.0));
        for values in [vec![], vec![(-1.7e308, 0, 3), (1.7e308, 0, 2)], vec![(5.0, 0, 1)]] {
            assert!(densities(&values, 1, across)[0].iter().all(|y| y.is_finite()));
        }
    }
}
