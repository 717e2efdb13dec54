//! Tables of figures: text for people, JSON and CSV for programs, Markdown for documents.

use crate::effect::{self, MeasuredGroup};
use crate::evaluation::Measured;
pub(crate) use crate::grid::Grid;
use crate::output::NamedFormat;
pub(crate) use crate::signed_report::SignedReport;
use crate::style;
use clap::ValueEnum;
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq};
use ternwood::ClassName;
use ternwood::bayes_error::BayesError;
use ternwood::metrics::{ClassTally, Costs, Figures, VerdictCounts};
use ternwood::verdict::CostMatrix;
use ternwood::words::CLASS_LEGEND;
pub(crate) use ternwood::words::percent_or_dash as percent;
use ternwood_figures::{RiskCoverageFigure, RiskSeries, risk_coverage_svg};

/// How a table of figures is written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableFormat {
    /// For people
    Text,
    /// JSON
    Json,
    /// Comma-separated values
    Csv,
    /// A table for documents
    Markdown,
}

impl NamedFormat for TableFormat {
    const ENDINGS: &[(&str, Self)] =
        &[("txt", Self::Text), ("json", Self::Json), ("csv", Self::Csv), ("md", Self::Markdown)];
    const UNNAMED: Option<Self> = Some(Self::Text);
}

/// A table of methods, with a description of the measurement.
pub(crate) struct Report<'a> {
    /// "5-fold cross-validation on patients.csv: 768 rows, ..."
    pub(crate) title: String,
    pub(crate) methods: &'a [Measured],
    pub(crate) prices: Prices,
    /// The names of the classes.
    pub(crate) classes: &'a [ClassName],
    /// Tables of subgroups.
    pub(crate) groups: Vec<GroupTable>,
    /// The method of which classes and subgroups are shown.
    pub(crate) spoken_of: usize,
}

/// What the verdict does to subgroups.
#[derive(Serialize)]
pub(crate) struct GroupTable {
    /// The columns whose values they are.
    pub(crate) columns: String,
    pub(crate) groups: Vec<MeasuredGroup>,
}

/// "0.873", or "-" if the figure is undefined.
fn fixed(figure: Option<f64>) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.3}"))
}

/// A figure of the table: its name in files, and how to get it.
pub(crate) type Entry = (&'static str, Box<dyn Fn(&Figures) -> Option<f64>>);

/// An [`Entry`] that depends on no option.
type PlainEntry = (&'static str, fn(&Figures) -> Option<f64>);

const FIGURES: [PlainEntry; 12] = [
    ("accuracy", |f| f.rates.accuracy),
    ("undecided_rate", |f| f.rates.undecided_rate),
    ("decided_accuracy", |f| f.rates.decided_accuracy),
    ("undecided_accuracy", |f| f.rates.undecided_accuracy),
    ("decided_f1", |f| f.rates.decided_f1),
    ("efficiency", |f| f.efficiency),
    ("chow_cart_accuracy", |f| f.chow_cart),
    ("chow_own_accuracy", |f| f.chow),
    ("aurc", |f| f.aurc),
    ("log_loss", |f| f.log_loss),
    ("aurc_cart", |f| f.aurc_cart),
    ("aurc_zone", |f| f.aurc_zone),
];

impl Report<'_> {
    /// The report, ending in a line break. Only the text is coloured.
    pub(crate) fn written(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Text => self.text(),
            TableFormat::Json => self.json(),
            TableFormat::Csv => self.csv(),
            TableFormat::Markdown => self.markdown(),
        }
    }

    fn text(&self) -> String {
        let names =
            ["zones", "flagged", "all", "decided", "flagged", "Chow", "Chow*", "AURC", "logloss"];
        let mut grid = Grid::new(&names).span(2..7, "accuracy");
        for Measured { method, figures, .. } in self.methods {
            let flagged = match figures.rates.undecided_rate {
                Some(0.0) => "-".to_owned(),
                rate => percent(rate),
            };
            grid.row(vec![
                method.label().to_owned(),
                flagged,
                fixed(figures.rates.accuracy),
                fixed(figures.rates.decided_accuracy),
                fixed(figures.rates.undecided_accuracy),
                fixed(figures.chow_cart),
                fixed(figures.chow),
                fixed(figures.aurc),
                fixed(figures.log_loss),
            ]);
        }
        let title: Vec<String> = self.title.lines().map(style::paragraph).collect();
        let title = style::heading(title.join("\n"));
        let mut text = format!("{title}\n\n{}\n{}", grid.text(), style::dim(self.legend()));
        text += &self.prices.text(self.methods);
        let of = match self.methods.len() {
            0..=2 => String::new(),
            _ => format!("{}, class by class:\n", self.methods[self.spoken_of].method.label()),
        };
        text += &format!("\n{of}{}", self.class_table().text());
        for table in &self.groups {
            let grid = effect::grid(&table.columns, &table.groups);
            text += &format!("\n{}\n{}", grid.text(), style::dim(effect::LEGEND));
        }
        text
    }

    fn class_table(&self) -> ClassTable<'_> {
        let tallies = &self.methods[self.spoken_of].tallies;
        ClassTable { names: self.classes, tallies }
    }

    /// All figures written to files.
    fn entries(&self) -> Vec<Entry> {
        let plain = FIGURES.iter().map(|&(name, of)| -> Entry { (name, Box::new(of)) });
        plain.chain(self.prices.entries()).collect()
    }

    fn csv(&self) -> String {
        let entries = self.entries();
        let names: Vec<&str> = entries.iter().map(|(name, _)| *name).collect();
        let mut csv = format!("zone,routing,{}\n", names.join(","));
        for Measured { method, figures, .. } in self.methods {
            let figure =
                |(_, of): &Entry| of(figures).map_or_else(String::new, |figure| figure.to_string());
            let figures: Vec<String> = entries.iter().map(figure).collect();
            csv += &format!("{},{},{}\n", method.zone(), method.recipe.routing, figures.join(","));
        }
        csv
    }

    fn markdown(&self) -> String {
        let entries = self.entries();
        let names = entries.iter().map(|(name, _)| name.replace('_', " "));
        let names: Vec<String> = ["zones".to_owned()].into_iter().chain(names).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut grid = Grid::new(&names);
        for Measured { method, figures, .. } in self.methods {
            let figures = entries.iter().map(|(_, of)| fixed(of(figures)));
            grid.row(std::iter::once(method.label().to_owned()).chain(figures).collect());
        }
        let mut text = format!("{}\n\n{}", self.title.replace('\n', ", "), grid.markdown());
        text += &format!("\n{}", self.class_table().grid().markdown());
        for table in &self.groups {
            let grid = effect::grid(&table.columns, &table.groups);
            text += &format!("\n{}", grid.markdown());
        }
        text
    }

    fn json(&self) -> String {
        #[derive(Serialize)]
        struct Document<'a> {
            title: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            bayes_error: Option<[f64; 2]>,
            methods: Vec<Ordered<'a>>,
            classes: ClassTable<'a>,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            subgroups: &'a [GroupTable],
        }
        let entries = self.entries();
        let methods = self.methods.iter().map(|method| Ordered(method, &entries)).collect();
        let document = Document {
            title: self.title.replace('\n', ", "),
            bayes_error: self.prices.bayes_error.map(|bayes| [bayes.lower, bayes.upper]),
            methods,
            classes: self.class_table(),
            subgroups: &self.groups,
        };
        let json = serde_json::to_string_pretty(&document).expect("plain data is always JSON");
        format!("{json}\n")
    }
}

impl Report<'_> {
    /// What the words of the table mean.
    fn legend(&self) -> String {
        let is_forest = |measured: &Measured| measured.method.recipe.ensemble.forest().is_some();
        match self.methods.iter().any(is_forest) {
            false => LEGEND.to_owned(),
            true => LEGEND.replace(
                "none (CART)  an ordinary decision tree, without zones\n",
                "none (forest)  the same forests without zones\n",
            ),
        }
    }
}

/// A method's figures, in table order.
struct Ordered<'a>(&'a Measured, &'a [Entry]);

impl Serialize for Ordered<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(Measured { method, figures, .. }, entries) = self;
        let mut map = serializer.serialize_map(Some(entries.len() + 2))?;
        map.serialize_entry("zone", method.zone())?;
        map.serialize_entry("routing", method.recipe.routing.as_str())?;
        for (name, of) in *entries {
            map.serialize_entry(name, &of(figures))?;
        }
        map.end()
    }
}

const LEGEND: &str = "\
none (CART)  an ordinary decision tree, without zones
flagged      share of undecided rows: answered too, but worth a second look
accuracy     share of right answers: among all rows, the decided, the flagged
Chow         accuracy of the decided rows if as many rows are flagged, but those
             with the lowest probability in plain CART (Chow's rule)
Chow*        the same with the probabilities of the tree itself
AURC         mean share of errors while more and more rows are decided, the
             surest first (area under the risk-coverage curve); lower is better
logloss      how wrong the probabilities are; lower is better
";

// Optional figures: the cost of flags and errors, flags per unavoidable error, classes.

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
    fn entries(&self) -> Vec<Entry> {
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
    fn text(&self, methods: &[Measured]) -> String {
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
struct ClassTable<'a> {
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

    fn text(&self) -> String {
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

// The curves of all methods in one picture.

impl Report<'_> {
    /// Risk-coverage curves by confidence, with the verdicts as points, over the pooled test
    /// rows.
    pub(crate) fn risk_coverage(&self) -> String {
        let mut series = Vec::new();
        for Measured { method, figures, ranking, .. } in self.methods {
            let (curve, aurc) = (ranking.curve(), ranking.aurc());
            let name = match method.zone() {
                "none" => "plain CART".to_owned(),
                zone => format!("{} zones", zone.replace('_', " ")),
            };
            let marks = verdict_point(&figures.counts).into_iter().collect();
            series.push(RiskSeries { name, curve, marks, aurc });
        }
        let options = RiskCoverageFigure {
            title: Some("Risk and coverage: curves by confidence, points by verdict".to_owned()),
            subtitle: Some(self.title.replace('\n', ", ")),
        };
        risk_coverage_svg(&series, &options)
    }
}

/// Coverage and risk of the verdicts. `None` if all rows or none are decided.
fn verdict_point(counts: &VerdictCounts) -> Option<(f64, f64)> {
    let (decided, rows) = (counts.decided(), counts.rows());
    let risk = counts.decided_wrong as f64 / decided as f64;
    (0 < decided && decided < rows).then(|| (decided as f64 / rows as f64, risk))
}
