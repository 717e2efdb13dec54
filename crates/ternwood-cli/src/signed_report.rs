//! `evaluate --report`: what the verdicts of a model do, as a page to print and sign.

use crate::evaluation::Measured;
use crate::files;
use crate::model_file::ModelFile;
use crate::reading::described;
use crate::summary::{Fact, Summary};
use anyhow::Result;
use std::path::Path;
use ternwood::training::{SeenRows, TrainingRows};
use ternwood::tree::NodeId;
use ternwood::verdict::CostMatrix;
use ternwood::{Dataset, Exec, Matrix, Model};
use ternwood_figures::VerdictReport;

/// A model on labelled rows.
pub(crate) struct SignedReport<'a> {
    pub(crate) source: &'a ModelFile<'a>,
    pub(crate) data: &'a Dataset,
    /// The name of the table.
    pub(crate) table: String,
    pub(crate) costs: Option<CostMatrix>,
    /// What the comparison with training rows gave.
    pub(crate) seen: SeenRows,
}

impl SignedReport<'_> {
    /// The page. `measured` is the model itself, as in the table of figures.
    pub(crate) fn html(&self, measured: &Measured, exec: &Exec) -> Result<String> {
        let Self { source, data, table, costs, seen } = self;
        let (model, truth) = (&source.model, data.labels());
        let answers = model.predict(Matrix::from(data.columns()), exec)?;
        let rows = truth.iter().zip(answers.classes()).zip(answers.verdicts());
        let rows = rows.map(|((&truth, &class), &verdict)| (truth, class, verdict));
        let (policy, classes) = (model.verdict(), model.schema().classes());
        let title = format!("{} on {table}", source.path.display());
        let mut notes: Vec<String> =
            measured.record(classes).advice().iter().map(ToString::to_string).collect();
        if let Some(compared) = seen.trained_on() {
            notes.insert(0, compared.warning());
        }
        let report = VerdictReport::new(&title, policy, classes, rows)?
            .with_costs(costs.clone())
            .with_uncovered(Some(model.uncovered_rows(Matrix::from(data.columns()))))
            .with_notes(notes)
            .with_data(self.about_the_data()?)
            .with_model(self.about_the_model()?);
        Ok(report.html())
    }

    fn about_the_data(&self) -> Result<Vec<(String, String)>> {
        let mut facts = vec![fact("table", &self.table), fact("contents", &described(self.data))];
        let path = Path::new(&self.table);
        if path.is_file() {
            facts.push(fact("SHA-256", &files::sha256_of_file(path)?));
        }
        facts.push(fact("compared with training", &self.seen.to_string()));
        Ok(facts)
    }

    fn about_the_model(&self) -> Result<Vec<(String, String)>> {
        let model = &self.source.model;
        let recipe = model.recipe();
        let mut facts = vec![
            fact("file", &self.source.path.display().to_string()),
            fact("SHA-256", &self.source.sha256()?),
            fact("training rows", &training_rows(model).to_string()),
        ];
        let summary = Summary::of_fit(model).facts.into_iter();
        let summary = summary.filter(|fact| fact.name != "verdict");
        facts.extend(summary.map(|Fact { name, text }| (name, text)));
        facts.push(fact("seed", &recipe.params.seed.to_string()));
        // With spaces, so that its lines can be broken between parameters.
        let recipe = serde_json::to_string(recipe)?.replace(",\"", ", \"");
        facts.push(fact("recipe", &recipe));
        facts.extend(
            model.ternwood_version().map(|it| fact("fitted by", &format!("ternwood {it}"))),
        );
        facts.push(fact("measured by", concat!("ternwood ", env!("CARGO_PKG_VERSION"))));
        Ok(facts)
    }
}

/// How many rows the model was trained on; the first tree of a forest has seen only a part of them.
fn training_rows(model: &Model) -> u64 {
    let of_tree = || u64::from(model.trees()[0].rows(NodeId::ROOT));
    model
        .training_rows()
        .filter(|_| !model.ensemble().is_single())
        .map_or_else(of_tree, TrainingRows::rows)
}

fn fact(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}
