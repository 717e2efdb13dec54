//! A cost matrix from a table.
//!
//! ```text
//! truth,good,bad,flag
//! good,0,1,0.5
//! bad,5,0,0.5
//! ```

use super::class_id;
use anyhow::{Context, Result, anyhow, bail};
use std::path::Path;
use ternwood::ClassName;
use ternwood::verdict::CostMatrix;
use ternwood_table::{Column, ReadOptions, Source, read_table};

const SHAPE: &str = "a cost matrix has a line per true class and a column per answer, both named \
                     like the classes, and a column 'flag': what a flag costs";

/// Reads what every answer and a flag cost, by true class.
pub(super) fn read_costs(path: &Path, classes: &[ClassName]) -> Result<CostMatrix> {
    let name = path.display();
    let table = read_table(&Source::file(path), &ReadOptions::new())
        .map_err(|error| anyhow!("{error}; --costs takes two numbers, such as 1,5, or a table"))?;
    let Some((truths, answers)) = table.columns().split_first() else {
        bail!("{name}: the table is empty; {SHAPE}");
    };
    let mut lines = vec![None; classes.len()];
    for row in 0..table.n_rows() {
        let class = truths.text_of(row).unwrap_or_default();
        let id = class_id(&class, classes)
            .map_err(|problem| anyhow!("{name}: line of '{class}': {problem}"))?;
        if lines[id].replace(row).is_some() {
            bail!("{name}: there are two lines of the class '{class}'; leave one out");
        }
    }
    let lines: Vec<usize> = lines
        .into_iter()
        .zip(classes)
        .map(|(line, class)| {
            line.ok_or_else(|| anyhow!("{name}: there is no line of the class '{class}'; {SHAPE}"))
        })
        .collect::<Result<_>>()?;
    let of_column = |column: &Column| -> Result<Vec<f64>> {
        lines
            .iter()
            .zip(classes)
            .map(|(&row, class)| {
                let text = column.text_of(row).unwrap_or_default();
                text.parse().map_err(|_| {
                    let place = format!("{name}: line of '{class}', column '{}'", column.name());
                    anyhow!("{place}: '{text}' is not a number; write what it costs")
                })
            })
            .collect()
    };
    let mut by_answer = vec![None; classes.len()];
    let mut flag = None;
    for column in answers {
        let costs = of_column(column)?;
        let slot = match class_id(column.name(), classes) {
            Ok(id) => &mut by_answer[id],
            // Unless a class has this name.
            Err(_) if ["flag", "undecided"].contains(&column.name()) => &mut flag,
            Err(problem) => bail!("{name}: column '{}': {problem}, and 'flag'", column.name()),
        };
        if slot.replace(costs).is_some() {
            bail!("{name}: there are two columns '{}'; leave one out", column.name());
        }
    }
    let flag =
        flag.ok_or_else(|| anyhow!("{name}: there is no column 'flag' (or 'undecided'); {SHAPE}"))?;
    let by_answer: Vec<Vec<f64>> = by_answer
        .into_iter()
        .zip(classes)
        .map(|(costs, class)| {
            costs.ok_or_else(|| {
                anyhow!("{name}: there is no column of the class '{class}'; {SHAPE}")
            })
        })
        .collect::<Result<_>>()?;
    let transposed = (0..classes.len())
        .map(|truth| by_answer.iter().map(|costs| costs[truth]).collect())
        .collect();
    CostMatrix::new(transposed, flag).with_context(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CostMatrix> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("costs.csv");
        std::fs::write(&path, text)?;
        read_costs(&path, &["good", "bad"].map(ClassName::from))
    }

    #[test]
    fn lines_and_columns_go_by_name() {
        let expected = CostMatrix::new(vec![vec![0.0, 1.0], vec![5.0, 0.0]], vec![0.5, 0.25]);
        for text in [
            "truth,good,bad,flag\ngood,0,1,0.5\nbad,5,0,0.25\n",
            "is,flag,bad,good\nbad,0.25,0,5\ngood,0.5,1,0\n",
        ] {
            assert_eq!(read(text).unwrap(), expected.clone().unwrap());
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        for (text, expected) in [
            ("truth,good,bad,flag\ngood,0,1,0.5\n", "there is no line of the class 'bad'"),
            ("truth,good,flag\ngood,0,1\nbad,1,1\n", "there is no column of the class 'bad'"),
            ("truth,good,bad\ngood,0,1\nbad,5,0\n", "there is no column 'flag'"),
            ("truth,good,bad,flag\ngood,0,1,1\nugly,5,0,1\n", "there is no class 'ugly'"),
            ("truth,good,bad,ugly\ngood,0,1,1\nbad,5,0,1\n", "column 'ugly': there is no class"),
            ("truth,good,bad,flag\ngood,0,x,1\nbad,5,0,1\n", "column 'bad': 'x' is not a number"),
            ("truth,good,bad,flag\ngood,0,,1\nbad,5,0,1\n", "column 'bad': '' is not a number"),
            ("t,good,bad,flag\ngood,0,1,1\nbad,5,0,1\nbad,5,0,1\n", "two lines of the class 'bad'"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
    }
}
