//! A model as an SQL query over a table, with the same answers and verdicts.
//!
//! The query works in steps (common table expressions), each of which reads the one before:
//!
//! 1. the tested columns as numbers: NULL for what is missing, ids for categories;
//! 2. whether the verdict covers the row;
//! 3. at every split, the side of the row and the share of it that goes left;
//! 4. level by level from the bottom, `w * left + (1 - w) * right`: the walker's order, so that the
//!    probabilities have the same bits;
//! 5. class, verdict and reason.
//!
//! No expression is nested deeper than the formula of a split, whatever the depth of the tree.

mod answer;
mod dialect;
mod forest;
mod levels;
mod query;

pub use dialect::Dialect;

use crate::dataset::check_length;
use crate::error::{ErrorKind, Result, parameter};
use crate::model::{Model, SingleTree};
use crate::recipe::Routing;
use crate::tree::{NodeId, Split};
use answer::UNCOVERED;
use query::{Columns, Query};

/// What to ask of which table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlOptions {
    /// The table: its name, or schema and name.
    pub table: Vec<String>,
    /// The dialect.
    pub dialect: Dialect,
    /// Columns to pass through, such as a key.
    pub keys: Vec<String>,
    /// The table's column for every feature; `None` for the features' own names.
    pub columns: Option<Vec<String>>,
}

impl SqlOptions {
    /// All columns as the model names them, of one table.
    pub fn new(table: impl Into<String>, dialect: Dialect) -> Self {
        Self { table: vec![table.into()], dialect, keys: Vec::new(), columns: None }
    }
}

/// The name of the column with the probability of a class.
fn probability_column(class: &str) -> String {
    format!("p_{class}")
}

/// The model as a query: the keys, then `prediction`, `decided`, `p_<class>` for every class, and
/// `reason`, which is NULL for decided rows.
///
/// Missing values are NULL or NaN. A number that is infinite, or in SQLite no number at all, cannot
/// be read: the row goes both ways at every test of it, and is undecided. Where the model refuses
/// missing values, the query does not: it calls them unknown.
///
/// # Errors
/// A model too large for the dialect's columns, a name that SQL cannot write, keys or columns that
/// do not fit.
pub fn to_sql(model: &Model, options: &SqlOptions) -> Result<String> {
    options.check(model)?;
    let mut query = Query::new(options.dialect, &options.table);
    let writer = Writer { model, options };
    writer.input(&mut query)?;
    writer.coverage(&mut query)?;
    match model.single_tree() {
        Ok(tree) => writer.levels(tree, &mut query)?,
        Err(_) => writer.forest(&mut query)?,
    }
    let text = writer.answer(query)?;
    let version = env!("CARGO_PKG_VERSION");
    let note = match options.dialect {
        Dialect::Sqlite => {
            "-- Numbers must be in columns of numeric types. Texts that look like numbers count as unreadable: CSV\n\
             -- that was imported without types has only texts, so declare the types or CAST.\n"
        }
        Dialect::Duckdb | Dialect::Postgres | Dialect::Generic => "",
    };
    Ok(format!(
        "-- The answers of a model of ternwood {version}, in {}: one row for every row of the table.\n{note}{text}",
        options.dialect
    ))
}

/// Writes one model.
#[derive(Clone, Copy)]
struct Writer<'m> {
    model: &'m Model,
    options: &'m SqlOptions,
}

impl Writer<'_> {
    fn number(self, x: f64) -> String {
        self.options.dialect.number(x)
    }

    fn classes(self) -> std::ops::Range<usize> {
        0..self.model.schema().n_classes()
    }

    /// Takes the keys over into the next step, and whether the row is covered.
    fn with_keys(self) -> Columns {
        let mut columns = Columns::default();
        (0..self.options.keys.len()).for_each(|key| columns.carry(&key_name(key)));
        if self.tells_covered() {
            columns.carry(UNCOVERED);
        }
        columns
    }
}

/// The name of a key between the first step and the last.
fn key_name(key: usize) -> String {
    format!("k{key}")
}

impl SqlOptions {
    fn check(&self, model: &Model) -> Result<()> {
        let schema = model.schema();
        if self.table.iter().all(String::is_empty) {
            return Err(parameter("table", "''", "the name of a table"));
        }
        if let Some(columns) = &self.columns {
            let (found, expected) = (columns.len(), schema.n_features());
            check_length("the list of columns", found, expected, "one per feature")?;
        }
        let own = |name: &str| {
            ["prediction", "decided", "reason"].contains(&name)
                || schema
                    .classes()
                    .iter()
                    .any(|class| probability_column(&class.to_string()) == name)
        };
        if let Some(key) = self.keys.iter().find(|key| own(key)) {
            return Err(parameter(
                "keys",
                format!("'{key}'"),
                "columns that the query does not make itself",
            ));
        }
        let classes = schema.classes().iter().map(ToString::to_string);
        let features = schema.features().iter();
        let names = features.flat_map(|feature| feature.kind.names().iter().chain([&feature.name]));
        let given = self.table.iter().chain(&self.keys).chain(self.columns.iter().flatten());
        let mut all = classes.chain(names.chain(given).cloned());
        match all.find(|name| name.contains('\0')) {
            None => Ok(()),
            Some(name) => Err(ErrorKind::Export {
                format: "SQL",
                what: format!("the name {name:?} has a letter that SQL cannot write"),
                remedy: "rename it",
            }
            .into()),
        }
    }
}

/// What a single tree needs besides the walker: which nodes are visited at all.
fn used_children(tree: SingleTree<'_>, split: &Split) -> Vec<NodeId> {
    let crisp = tree.routing() == Routing::Crisp;
    split.children().filter(|child| !(crisp && split.middle == Some(*child))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Schema;
    use crate::recipe::Recipe;
    use crate::tree::{TreeBuilder, Zone};

    #[test]
    fn only_the_query_for_sqlite_warns_of_numbers_in_texts() {
        let mut tree = TreeBuilder::new(1, 2);
        tree.split(0, Zone::crisp(1.0).unwrap());
        tree.leaf(&[1.0, 0.0]);
        tree.leaf(&[0.0, 1.0]);
        let schema = Schema::unnamed(1, vec!["no".into(), "yes".into()]).unwrap();
        let model = Model::new(tree.finish().unwrap(), schema, Recipe::default()).unwrap();
        for dialect in Dialect::ALL {
            let query = to_sql(&model, &SqlOptions::new("visits", dialect)).unwrap();
            let mut comments = query.lines().take_while(|line| line.starts_with("--"));
            let warns = comments.any(|line| line.contains("count as unreadable"));
            assert_eq!(warns, dialect == Dialect::Sqlite, "{dialect}");
        }
    }
}
