//! The paper's folds: one digit per row of each data set, the fold in which it is a test row.

use crate::error::{Error, Result};
use crate::measure::SEED;
use flate2::read::GzDecoder;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use ternwood::Resampler;

/// The number of folds of data sets without given ones.
pub(crate) const COUNT: u8 = 5;

/// The number of folds.
pub(crate) fn count(of_rows: &[u8]) -> u8 {
    of_rows.iter().copied().max().map_or(0, |fold| fold + 1)
}

/// Our own folds, for data sets that have none of the paper's.
pub(crate) fn our_own(classes: &[u32]) -> Result<Vec<u8>> {
    let folds = Resampler::of_classes(classes).folds(u32::from(COUNT), SEED)?;
    Ok(folds.of_rows().iter().map(|&fold| fold as u8).collect())
}

/// Reads `folds.tsv.gz`; an absent file means no folds.
pub(crate) fn read_folds(path: &Path) -> Result<HashMap<u32, Vec<u8>>> {
    let unreadable = |source| Error::Read { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).map_err(unreadable)?;
    let complaint = |line, problem: &str| Error::Line {
        path: path.to_owned(),
        line,
        problem: problem.to_owned(),
    };
    let mut folds = HashMap::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let (id, digits) =
            line.split_once('\t').ok_or_else(|| complaint(index + 1, "there is no tab"))?;
        let id = id.parse().map_err(|_| complaint(index + 1, "the id is not a number"))?;
        let of_rows: Option<Vec<u8>> =
            digits.bytes().map(|digit| digit.is_ascii_digit().then(|| digit - b'0')).collect();
        folds.insert(id, of_rows.ok_or_else(|| complaint(index + 1, "a fold is not a digit"))?);
    }
    Ok(folds)
}
