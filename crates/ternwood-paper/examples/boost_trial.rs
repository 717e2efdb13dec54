//! Log-loss, AURC and accuracy of boosted trees on public data sets, by fold.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use ternwood::boost::{BoostParams, Boosted};
use ternwood::{Dataset, DatasetView, Exec, Matrix};
use ternwood_paper::{Collection, Entry};
use ternwood_table::{EncodeOptions, ReadOptions, Source, encode, read_table};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn native(folder: &Path, entry: &Entry) -> Outcome<Dataset> {
    let options = ReadOptions::new().drop(&entry.dropped);
    let table = read_table(&Source::file(folder.join(&entry.file)), &options)?;
    let last = table.column_names().last().ok_or("no columns")?.to_string();
    let target = entry.target.clone().unwrap_or(last);
    Ok(encode(table, &target, EncodeOptions::default())?.dataset)
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().collect();
    let folder = Path::new(&args[1]);
    let (min_rows, max_rows): (usize, usize) = (args[2].parse()?, args[3].parse()?);
    let n_folds: u8 = args[4].parse()?;
    let mut params = BoostParams::default();
    for arg in &args[5..] {
        let (name, value) = arg.split_once('=').ok_or("name=value")?;
        match name {
            "rate" => params.learning_rate = value.parse()?,
            "leaves" => params.max_leaf_nodes = Some(value.parse()?),
            "depth" => params.max_depth = Some(value.parse()?),
            "rows" => params.row_share = value.parse()?,
            "features" => params.feature_share = value.parse()?,
            "bags" => params.bags = Some(value.parse()?),
            "scales" => {
                params.zone_scales = value.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            "lambda" => params.l2_regularization = value.parse()?,
            "iter" => params.max_iter = value.parse()?,
            "error" => params.category_error = Some(value.parse()?),
            "minrows" => params.min_samples_leaf = value.parse()?,
            _ => return Err("unknown".into()),
        }
    }
    let folds: HashMap<String, Vec<u8>> = std::fs::read_to_string("/tmp/folds.tsv")?
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once('\t'))
        .map(|(id, digits)| (id.to_owned(), digits.bytes().map(|b| b - b'0').collect()))
        .collect();
    let collection = Collection::open(folder)?;
    let exec = Exec::with_threads(2)?;
    for entry in collection.entries() {
        let data = native(folder, entry)?;
        let n = data.n_rows();
        if n < min_rows || n > max_rows || data.n_features() > 100 || data.n_classes() > 11 {
            continue;
        }
        let of_rows = &folds[&entry.openml_id.to_string()];
        for fold in 0..n_folds {
            let training: Vec<usize> = (0..n).filter(|&row| of_rows[row] != fold).collect();
            let test: Vec<usize> = (0..n).filter(|&row| of_rows[row] == fold).collect();
            let (train, test) = (data.select(&training)?, data.select(&test)?);
            let begin = Instant::now();
            let boosted = Boosted::fit(&DatasetView::from(&train), &params, &exec)?;
            let seconds = begin.elapsed().as_secs_f64();
            let p = boosted.predict(Matrix::from(test.columns()), &exec);
            let k = data.n_classes();
            let (mut loss, mut right) = (0.0, 0.0);
            let mut ranked: Vec<(f64, bool)> = Vec::new();
            for (row, p) in p.chunks(k).enumerate() {
                let class = test.labels()[row] as usize;
                loss -= p[class].max(1e-15).ln();
                let best = (0..k).fold(0, |best, i| if p[i] > p[best] { i } else { best });
                right += f64::from(u8::from(best == class));
                ranked.push((p[best], best != class));
            }
            let m = test.n_rows() as f64;
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            let (mut errors, mut aurc) = (0.0, 0.0);
            // Ties share their mean risk.
            let mut at = 0;
            while at < ranked.len() {
                let end = at + ranked[at..].iter().take_while(|r| r.0 == ranked[at].0).count();
                let wrong = ranked[at..end].iter().filter(|r| r.1).count() as f64;
                for i in at..end {
                    errors += wrong / (end - at) as f64;
                    aurc += errors / (i + 1) as f64;
                }
                at = end;
            }
            println!(
                "{}\t{fold}\t{n}\t{:.5}\t{:.5}\t{:.5}\t{seconds:.2}\t{}\t{:?}",
                entry.name,
                loss / m,
                aurc / m,
                right / m,
                boosted.zone_scale,
                boosted.n_trees()
            );
        }
    }
    Ok(())
}
