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
        let (mut recognised, mut shares, mut detectable) = (0, 0.0, Vec::new());
        for _ in 0..draws {
            let fresh = given - copied;
            random.draw(&mut order, training + fresh);
            let (trained, rest) = order[..training + fresh].split_at(training);
            let given: Vec<usize> = rest.iter().chain(&trained[..copied]).copied().collect();
            let trained = TrainingRows::of(&self.data.select(trained)?, &exec)?;
            let seen = trained.seen(&TrainingRows::of(&self.data.select(&given)?, &exec)?);
            let seen: SeenRows = seen.ok_or("both have a sketch")?;
            recognised += usize::from(seen.are_trained_on());
            shares += seen.share;
            detectable.push(seen.detectable.unwrap_or(f64::INFINITY));
        }
        detectable.sort_by(f64::total_cmp);
        let median = detectable[draws / 2];
        let detectable =
            if median.is_finite() { format!("{:.1} %", 100.0 * median) } else { "–".to_owned() };
        Ok(format!(
            "| {} | {training} | {given} | {:.1} % | {draws} | {recognised} | {:.1} % | {detectable} |",
            self.name,
            100.0 * copied as f64 / given as f64,
            100.0 * shares / draws as f64,
        ))
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [folder, out] = &arguments[..] else {
        return Err("usage: trained_on <folder of data sets> <folder for the table>".into());
    };
    let adult = Rows::read(folder, "1590_adult.arff.gz", "adult")?;
    let mut lines = vec![
        "| rows | training | given | of these trained on | draws | recognised | estimated share | \
         detectable share |"
            .to_owned(),
        "|---|---|---|---|---|---|---|---|".to_owned(),
        adult.line(39_000, 39_000, 39_000, 40)?,
        adult.line(39_000, 1000, 1000, 1000)?,
        adult.line(39_000, 1000, 100, 1000)?,
        adult.line(39_000, 1000, 50, 1000)?,
        adult.line(39_000, 5000, 100, 1000)?,
        adult.line(39_000, 1000, 0, 5000)?,
        adult.line(24_000, 24_000, 0, 2000)?,
        adult.line(3000, 1000, 0, 5000)?,
    ];
    for (file, name) in [("1053_jm1.arff.gz", "jm1"), ("310_mammography.arff.gz", "mammography")] {
        let rows = Rows::read(folder, file, name)?;
        let half = rows.data.n_rows() / 2;
        lines.push(rows.line(half, half, half, 100)?);
        lines.push(rows.line(half, 1000, 200, 1000)?);
        lines.push(rows.line(half, half / 2, 0, 5000)?);
    }
    for (features, values) in [(2, 2), (4, 4), (6, 4), (8, 4), (3, 40)] {
        let name = format!("{features} features of {values} values");
        let rows = Rows::generated(&name, features, values)?;
        lines.push(rows.line(20_000, 20_000, 20_000, 20)?);
        lines.push(rows.line(20_000, 5000, 500, 200)?);
        lines.push(rows.line(20_000, 5000, 0, 12_000)?);
    }
    fs::write(out.join("trained_on.md"), lines.join("\n") + "\n")?;
    Ok(())
}
