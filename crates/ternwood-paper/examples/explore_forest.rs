//! scratch
use std::path::Path;
use ternwood::metrics::{Answers, Figures};
use ternwood::recipe::*;
use ternwood::*;
use ternwood_paper::Collection;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let collection = Collection::open(Path::new(&args[0])).unwrap();
    let most: usize = args[1].parse().unwrap();
    let exec = Exec::with_threads(2).unwrap();
    let mut entries: Vec<_> = collection.entries().iter().filter(|e| collection.n_rows(e).is_some_and(|r| r <= most)).collect();
    entries.sort_by_key(|e| collection.n_rows(e));
    for entry in entries {
        if ["Bioresponse", "isolet", "Internet-Advertisements"].contains(&entry.name.as_str()) { continue; }
        let data = collection.load(entry).unwrap();
        for fold in 0..data.n_folds() {
            let parts = data.fold(fold).unwrap();
            for variant in args[2].split('+') {
                let mut recipe = Recipe::forest();
                recipe.params.seed = 42;
                for part in variant.split('.') {
                    if let Some(n) = part.strip_prefix("leaf") { recipe.params.min_samples_leaf = RowCount::Count(n.parse().unwrap()); }
                    if let Some(n) = part.strip_prefix("feat") { recipe.params.max_features = MaxFeatures::Count(((n.parse::<f64>().unwrap() / 10.0 * (parts.train.n_features() as f64).sqrt()) as u32).clamp(1, parts.train.n_features() as u32)); }
                    if part == "crisp" { recipe.params.zone.kind = ZoneKind::None; recipe.auto = Auto::default(); recipe.forest.as_mut().unwrap().exponent = Exponent::Off; }
                    if part == "exp" { recipe.params.zone.kind = ZoneKind::None; recipe.auto = Auto::default(); }
                    if part == "noexp" { recipe.forest.as_mut().unwrap().exponent = Exponent::Off; }
                }
                let start = std::time::Instant::now();
                let model = Learner::from_recipe(recipe).unwrap().fit(&parts.train, &exec).unwrap();
                let time = start.elapsed().as_secs_f64();
                let predictions = model.predict(Matrix::from(parts.test.columns()), &exec).unwrap();
                let confidences = predictions.confidences();
                let figures = Figures::new(parts.test.labels(), &Answers::new(&predictions, &confidences), None, None).unwrap();
                let best = model.choice().and_then(|c| c.best());
                println!("{},{},{fold},{variant},42,{},{},{},{},{},{},{},{:.3}", entry.openml_id, entry.name, parts.test.n_rows(), figures.rates.accuracy.unwrap(), figures.aurc.unwrap(), figures.log_loss.unwrap(), best.map_or(0.0, |b| b.log_loss), best.map_or(0.0, |b| b.zone_scale), best.and_then(|b| b.exponent).unwrap_or(1.0), time);
            }
        }
    }
}
