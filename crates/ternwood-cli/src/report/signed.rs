//! `evaluate --report`: what the verdicts of a model do, as a page to print and sign.

use crate::evaluation::Measured;
use crate::model_file::ModelFile;
use crate::reading::described;
use crate::summary::{Fact, Summary};
use anyhow::Result;
use ternwood::metrics::Costs;
use ternwood::tree::NodeId;
use ternwood::{Dataset, Exec, Matrix};
use ternwood_figures::VerdictReport;

/// A model on labelled rows.
pub(crate) struct SignedReport<'a> {
    pub(crate) source: &'a ModelFile<'a>,
    pub(crate) data: &'a Dataset,
    /// The name of the table.
    pub(crate) table: String,
    pub(crate) costs: Option<Costs>,
}

impl SignedReport<'_> {
    /// The page. `measured` is the model itself, as in the table of figures.
    pub(crate) fn html(&self, measured: &Measured, exec: &Exec) -> Result<String> {
        let Self { source, data, table, costs } = self;
        let (model, truth) = (&source.model, data.labels());
        let answers = model.predict(Matrix::from(data.columns()), exec)?;
        let rows = truth.iter().zip(answers.classes()).zip(answers.verdicts());
        let rows = rows.map(|((&truth, &class), &verdict)| (truth, class, verdict));
        let (policy, classes) = (model.verdict(), model.schema().classes());
        let title = format!("{} on {table}", source.path.display());
        let advice = measured.record(classes).advice();
        let report = VerdictReport::new(&title, policy, classes, rows)?
            .with_costs(*costs)
            .with_notes(advice.iter().map(ToString::to_string).collect())
            .with_data(self.about_the_data())
            .with_model(self.about_the_model()?);
        Ok(report.html())
    }

    fn about_the_data(&self) -> Vec<(String, String)> {
        vec![fact("table", &self.table), fact("contents", &described(self.data))]
    }

    fn about_the_model(&self) -> Result<Vec<(String, String)>> {
        let model = &self.source.model;
        let recipe = model.recipe();
        let mut facts = vec![
            fact("file", &self.source.path.display().to_string()),
            fact("SHA-256", &self.source.sha256()?),
            fact("training rows", &model.tree().rows(NodeId::ROOT).to_string()),
        ];
        let summary = Summary::of_fit(model).facts.into_iter();
        let summary = summary.filter(|fact| fact.name != "verdict");
        facts.extend(summary.map(|Fact { name, text }| (name, text)));
        facts.push(fact("seed", &recipe.params.seed.to_string()));
        // With spaces, so that its lines can be broken between parameters.
        let recipe = serde_json::to_string(recipe)?.replace(",\"", ", \"");
        facts.push(fact("recipe", &recipe));
        facts.push(fact("measured by", concat!("ternwood ", env!("CARGO_PKG_VERSION"))));
        Ok(facts)
    }
}

fn fact(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}
