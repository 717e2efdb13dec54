//! Optional figures: the cost of flags and errors, flags per unavoidable error, classes.

use super::{Entry, Grid, fixed, percent};
use crate::evaluation::Measured;
use crate::style;
use serde::Serialize;
use serde::ser::SerializeSeq;
use ternwood::ClassName;
use ternwood::bayes_error::BayesError;
use ternwood::metrics::{ClassTally, Costs, Figures};
use ternwood::verdict::CostMatrix;
use ternwood::words::CLASS_LEGEND;

/// The costs of flags and errors, and the Bayes error, if requested.
#[derive(Clone, Default)]
pub(crate) struct Prices {
    pub(crate) costs: Option<Costs>,
    /// The costs of every answer and flag, by true class.
    pub(crate) matrix: Option<CostMatrix>,
    pub(crate) bayes_error: Option<BayesError>,
}

impl Prices {
    /// The additional figures in files.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        if self.costs.is_some() || self.matrix.is_some() {
            entries.push(("cost", Box::new(|f: &Figures| f.cost)));
        }
        if self.costs.is_some() {
            entries.push(("cost_chow_cart", Box::new(|f: &Figures| f.cost_chow_cart)));
            entries.push(("cost_chow_own", Box::new(|f: &Figures| f.cost_chow)));
        }
        if let Some(bayes) = self.bayes_error {
            let ends =
                move |f: &Figures| bayes.flags_per_error(f.rates.undecided_rate.unwrap_or(0.0));
            entries.push(("u_over_b_low", Box::new(move |f| ends(f)[0])));
            entries.push(("u_over_b_high", Box::new(move |f| ends(f)[1])));
        }
        entries
    }

    /// A second table: the verdicts and both of Chow's rules, at the same share of flags.
    pub(super) fn text(&self, methods: &[Measured]) -> String {
        let mut text = String::new();
        if let Some(costs) = self.costs {
            let mut grid =
                Grid::new(&["zones", "verdict", "Chow", "Chow*", "verdict", "Chow", "Chow*"])
                    .span(1..4, "cost per row")
                    .span(4..7, "AURC");
            for Measured { method, figures: f, .. } in methods {
                let figures =
                    [f.cost, f.cost_chow_cart, f.cost_chow, f.aurc_zone, f.aurc_cart, f.aurc];
                grid.row(
                    std::iter::once(method.label().to_owned()).chain(figures.map(fixed)).collect(),
                );
            }
            let legend = format!(
                "cost     a flag costs {}, a wrong answer to a decided row {}\n\
                 verdict  rows are flagged by the model's own verdict; for AURC, the surest are\n\
                 \u{20}        those farthest from all zones\n",
                costs.undecided(),
                costs.decided_error()
            );
            text += &format!("\n{}\n{}", grid.text(), style::dim(legend));
        }
        if let Some(matrix) = &self.matrix {
            let mut grid = Grid::new(&["zones", "cost per row"]);
            for Measured { method, figures, .. } in methods {
                grid.row(vec![method.label().to_owned(), fixed(figures.cost)]);
            }
            let judged = &methods[0].judged;
            let flags = judged.truth.iter().map(|&truth| matrix.of_flag(truth as usize));
            let all = flags.sum::<f64>() / judged.truth.len() as f64;
            grid.row(vec!["if all rows were flagged".to_owned(), fixed(Some(all))]);
            text += &format!("\n{}", grid.text());
        }
        if let Some(bayes) = self.bayes_error {
            let [lower, upper] = [bayes.lower, bayes.upper].map(|share| percent(Some(share)));
            let errors = format!(
                "Bayes error (unavoidable errors): {lower} to {upper} of the rows, judging by \
                 each row's nearest neighbour; rough with many features"
            );
            text += &format!("\n{}\n", style::paragraph(&errors));
            for Measured { method, figures, .. } in methods {
                let Some(rate) = figures.rates.undecided_rate.filter(|&rate| rate > 0.0) else {
                    continue;
                };
                let ends = bayes
                    .flags_per_error(rate)
                    .map(|end| end.map_or_else(|| "-".to_owned(), |end| format!("{end:.2}")));
                text += &format!(
                    "{}: {} to {} flags per unavoidable error (U/B)\n",
                    method.label(),
                    ends[0],
                    ends[1]
                );
            }
        }
        text
    }
}

/// The table of verdicts by class.
pub(crate) struct ClassTable<'a> {
    pub(crate) names: &'a [ClassName],
    pub(crate) tallies: &'a [ClassTally],
}

impl ClassTable<'_> {
    pub(crate) fn grid(&self) -> Grid {
        let mut grid = Grid::new(&["class", "rows", "decided", "recall", "precision", "missed"]);
        for (name, tally) in self.names.iter().zip(self.tallies) {
            grid.row(vec![
                name.to_string(),
                tally.rows.to_string(),
                percent(tally.coverage()),
                percent(tally.recall()),
                percent(tally.precision()),
                percent(tally.miss_rate()),
            ]);
        }
        grid
    }

    pub(super) fn text(&self) -> String {
        format!("{}\n{}", self.grid().text(), style::dim(CLASS_LEGEND))
    }
}

impl Serialize for ClassTable<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Class<'a> {
            class: &'a ClassName,
            rows: u64,
            decided: Option<f64>,
            recall: Option<f64>,
            precision: Option<f64>,
            missed: Option<f64>,
        }
        let mut list = serializer.serialize_seq(Some(self.tallies.len()))?;
        for (class, tally) in self.names.iter().zip(self.tallies) {
            let (decided, recall) = (tally.coverage(), tally.recall());
            let (precision, missed) = (tally.precision(), tally.miss_rate());
            let rows = tally.rows;
            list.serialize_element(&Class { class, rows, decided, recall, precision, missed })?;
        }
        list.end()
    }
}
