//! scratch
use std::time::Instant;
use ternwood::recipe::*;
use ternwood::*;
fn main() {
    let args: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let (n, d, t) = (args[0], args[1], args[2]);
    let mut state = 1u64;
    let mut unit = move || { state ^= state << 13; state ^= state >> 7; state ^= state << 17; (state >> 11) as f64 / (1u64 << 53) as f64 };
    let mut values = Vec::with_capacity(n * d);
    let mut labels = Vec::with_capacity(n);
    for _ in 0..n {
        let row: Vec<f64> = (0..d).map(|_| unit() + unit() + unit()).collect();
        let score = row[0] - row[1] + 0.5 * row[2] * row[3] - 0.5 * row[4] + 0.8 * (unit() - 0.5);
        labels.push(i64::from(score > 0.45));
        values.extend(row);
    }
    let matrix = Matrix::row_major(&values, d).unwrap();
    let columns: Vec<f64> = (0..d).flat_map(|f| (0..n).map(move |r| (r, f))).map(|(r, f)| matrix.value(r, f)).collect();
    let data = Dataset::new(Columns::from_columns(columns, d).unwrap(), Labels::from_values(labels)).unwrap();
    for threads in [1, 2] {
        let exec = Exec::with_threads(threads).unwrap();
        for zones in [false, true] {
            let mut recipe = Recipe::forest();
            recipe.forest = Some(ForestParams { n_trees: t as u32, exponent: if zones { Exponent::Auto } else { Exponent::Off }, ..ForestParams::default() });
            if !zones { recipe.params.zone.kind = ZoneKind::None; recipe.auto = Auto::default(); }
            let learner = Learner::from_recipe(recipe).unwrap();
            let start = Instant::now();
            let fit = learner.fit_watched(&data, &exec, &|| ()).unwrap();
            let fitted = start.elapsed();
            let start = Instant::now();
            fit.model.predict(matrix, &exec).unwrap();
            println!("threads {threads} zones {zones}: fit {fitted:?} predict {:?} nodes {} scale {} exponent {:?}", start.elapsed(), fit.model.forest().unwrap().n_nodes(), fit.model.recipe().params.zone.scale, fit.model.forest().unwrap().exponent());
            if let Some(choice) = fit.model.choice() { for c in &choice.candidates { print!("  {} {:?} {:.5};", c.zone_scale, c.exponent, c.log_loss); } println!(); }
        }
    }
}
