//! How surely rows are recognised that a model was trained on, and how seldom fresh rows are taken
//! for such. Writes `trained_on.md`:
//!
//! ```text
//! cargo run --release -p ternwood-paper --example trained_on -- ../shared/openml runs/choosing
//! ```

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use ternwood::training::{SeenRows, TrainingRows};
use ternwood::{Columns, Dataset, Exec, Labels};
use ternwood_table::{EncodeOptions, ReadOptions, Source, encode, read_table};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Random numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        ((u128::from(self.0) * bound as u128) >> 64) as usize
    }

    /// The first `n` of `all` are chosen at random, in random order.
    fn draw(&mut self, all: &mut [usize], n: usize) {
        for place in 0..n {
            let other = place + self.below(all.len() - place);
            all.swap(place, other);
        }
    }
}

/// Rows to draw from.
struct Rows {
    name: String,
    data: Dataset,
}

impl Rows {
    /// A table as it is, with its categories and gaps. The class is the last column.
    fn read(folder: &Path, file: &str, name: &str) -> Outcome<Self> {
        let table = read_table(&Source::file(folder.join(file)), &ReadOptions::new())?;
        let target = table.column_names().last().ok_or("no columns")?.to_string();
        let data = encode(table, &target, EncodeOptions::default())?.dataset;
        Ok(Self { name: name.to_owned(), data })
    }

    /// Random rows of `features` features with `values` values each; the class leans on the first.
    fn generated(name: &str, features: usize, values: usize) -> Outcome<Self> {
        const ROWS: usize = 50_000;
        let mut random = Random(1);
        let mut cells = Vec::with_capacity(ROWS * features);
        let mut labels = Vec::with_capacity(ROWS);
        for _ in 0..ROWS {
            let first = cells.len();
            // The smaller of two: low values are more common.
            cells.extend(
                (0..features).map(|_| random.below(values).min(random.below(values)) as f64),
            );
            labels.push(u32::from(cells[first] as usize + random.below(values) >= values));
        }
        let data =
            Dataset::new(Columns::from_rows(&cells, features)?, Labels::from_values(labels))?;
        Ok(Self { name: name.to_owned(), data })
    }

    /// Many draws of training rows and of given rows, of which some were trained on.
    fn line(&self, training: usize, given: usize, copied: usize, draws: usize) -> Outcome<String> {
        let exec = Exec::default();
        let mut random = Random(7);
        let mut order: Vec<usize> = (0..self.data.n_rows()).collect();
        let (mut recognised, mut compared, mut shares) = (0, 0, 0.0);
        for _ in 0..draws {
            let fresh = given - copied;
            random.draw(&mut order, training + fresh);
            let (trained, rest) = order[..training + fresh].split_at(training);
            let given: Vec<usize> = rest.iter().chain(&trained[..copied]).copied().collect();
            let trained = TrainingRows::of(&self.data.select(trained)?, &exec)?;
            match trained.seen(&self.data.select(&given)?, &exec)? {
                SeenRows::TrainedOn(found) => {
                    recognised += 1;
                    shares += found.share();
                }
                SeenRows::New(found) => shares += found.share(),
                SeenRows::Unknown(_) => continue,
            }
            compared += 1;
        }
        let share = match compared {
            0 => "–".to_owned(),
            _ => format!("{:.1} %", 100.0 * shares / f64::from(compared)),
        };
        Ok(format!(
            "| {} | {training} | {given} | {:.1} % | {draws} | {compared} | {recognised} | {share} |",
            self.name,
            100.0 * copied as f64 / given as f64,
        ))
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [folder, out] = &arguments[..] else {
        return Err("usage: trained_on <folder of data sets> <folder for the table>".into());
    };
    let read = |file, name| Rows::read(folder, file, name);
    let mut lines = vec![
        "| rows | training | given | of these trained on | draws | compared | recognised | estimated share |"
            .to_owned(),
        "|---|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
    ];
    // All of 30, 30 % of 1,000, and no training rows at all.
    for (file, name) in [
        ("37_diabetes.arff.gz", "diabetes"),
        ("31_credit-g.arff.gz", "credit-g"),
        ("1063_kc2.arff.gz", "kc2"),
    ] {
        let rows = read(file, name)?;
        // Of a small table, a single filter says more or less.
        lines.push(rows.line(100, 30, 30, 1000)?);
        lines.push(rows.line(400, 30, 30, 1000)?);
        lines.push(rows.line(400, 100, 0, 10_000)?);
    }
    let adult = read("1590_adult.arff.gz", "adult")?;
    lines.push(adult.line(3000, 30, 30, 1000)?);
    lines.push(adult.line(3000, 1000, 300, 1000)?);
    lines.push(adult.line(20_000, 10_000, 1000, 100)?);
    lines.push(adult.line(3000, 100, 0, 10_000)?);
    lines.push(adult.line(3000, 1000, 0, 10_000)?);
    let mammography = read("310_mammography.arff.gz", "mammography")?;
    lines.push(mammography.line(5000, 30, 30, 1000)?);
    lines.push(mammography.line(5000, 1000, 0, 10_000)?);
    // From few distinct rows to hardly any twins.
    for (features, values) in [(2, 2), (6, 4), (8, 4), (10, 4), (3, 100), (3, 300)] {
        let rows =
            Rows::generated(&format!("{features} features of {values} values"), features, values)?;
        lines.push(rows.line(2000, 35, 35, 1000)?);
        lines.push(rows.line(2000, 500, 0, 10_000)?);
    }
    fs::write(out.join("trained_on.md"), lines.join("\n") + "\n")?;
    Ok(())
}
