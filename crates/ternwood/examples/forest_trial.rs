//! scratch
use std::time::Instant;
use ternwood::recipe::*;
use ternwood::*;
fn cpu() -> f64 { let t = std::fs::read_to_string("/proc/self/stat").unwrap(); let f: Vec<&str> = t.rsplit(')').next().unwrap().split_whitespace().collect(); (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0 }
fn main() {
    let args: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let (n, d, t) = (args[0], args[1], args[2]);
    let mut state = 1u64;
    let mut unit = move || { state ^= state << 13; state ^= state >> 7; state ^= state << 17; (state >> 11) as f64 / (1u64 << 53) as f64 };
    let mut values = Vec::with_capacity(n * d);
    let mut labels = Vec::with_capacity(n);
    for _ in 0..n {
        let class = unit() < 0.5;
        let shift = if class { 1.0 } else { -1.0 } * 2.0 / (d as f64).sqrt();
        let row: Vec<f64> = (0..d).map(|_| (0..12).map(|_| unit()).sum::<f64>() - 6.0 + shift).collect();
        labels.push(i64::from(class));
        values.extend(row);
    }
    let matrix = Matrix::row_major(&values, d).unwrap();
    let columns: Vec<f64> = (0..d).flat_map(|f| (0..n).map(move |r| (r, f))).map(|(r, f)| matrix.value(r, f)).collect();
    let data = Dataset::new(Columns::from_columns(columns, d).unwrap(), Labels::from_values(labels)).unwrap();
    for threads in [args.get(3).copied().unwrap_or(1)] {
        let exec = Exec::with_threads(threads).unwrap();
        for zones in [false, true].into_iter().take(args.get(4).copied().unwrap_or(2)) {
            let mut recipe = Recipe::forest();
            recipe.forest = Some(ForestParams { n_trees: t as u32, exponent: if zones { Exponent::Auto } else { Exponent::Off }, ..ForestParams::default() });
            if !zones { recipe.params.zone.kind = ZoneKind::None; recipe.auto = Auto::default(); }
            let learner = Learner::from_recipe(recipe).unwrap();
            let start = Instant::now(); let c0 = cpu();
            let fit = learner.fit_watched(&data, &exec, &|| ()).unwrap();
            let fitted = (start.elapsed(), cpu() - c0); let c1 = cpu();
            let start = Instant::now();
            if args.len() > 5 { fit.model.predict(matrix, &exec).unwrap(); }
            println!("threads {threads} zones {zones}: fit {fitted:?} predict {:?} cpu {:.2} nodes {} scale {} exponent {:?}", start.elapsed(), cpu() - c1, fit.model.forest().unwrap().n_nodes(), fit.model.recipe().params.zone.scale, fit.model.forest().unwrap().exponent());
            if let Some(choice) = fit.model.choice() { for c in &choice.candidates { print!("  {} {:?} {:.5};", c.zone_scale, c.exponent, c.log_loss); } println!(); }
        }
    }
}
