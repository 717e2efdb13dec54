//! Tables of figures: text for people, JSON and CSV for programs, Markdown for documents.

mod curves;
mod grid;

use crate::evaluation::{Figures, Measured};
use crate::style;
use clap::ValueEnum;
pub(crate) use grid::Grid;
use serde::Serialize;
use serde::ser::SerializeMap;

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

/// A table of methods, and what was measured on what.
pub(crate) struct Report<'a> {
    /// "5-fold cross-validation on patients.csv: 768 rows, ..."
    pub(crate) title: String,
    pub(crate) methods: &'a [Measured],
}

/// "0.873", or "-" where the figure is not defined.
pub(crate) fn fixed(figure: Option<f64>) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.3}"))
}

/// "12.5 %", or "-".
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

/// A figure of the table: its name in files, and where it is found.
type Entry = (&'static str, fn(&Figures) -> Option<f64>);

const FIGURES: [Entry; 10] = [
    ("accuracy", |f| f.rates.accuracy),
    ("undecided_rate", |f| f.rates.undecided_rate),
    ("decided_accuracy", |f| f.rates.decided_accuracy),
    ("undecided_accuracy", |f| f.rates.undecided_accuracy),
    ("decided_f1", |f| f.rates.decided_f1),
    ("efficiency", |f| f.efficiency),
    ("chow_cart_accuracy", |f| f.chow_cart),
    ("chow_own_accuracy", |f| f.chow_own),
    ("aurc", |f| f.aurc),
    ("log_loss", |f| f.log_loss),
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
        for method in self.methods {
            let figures = &method.figures;
            let flagged = match figures.rates.undecided_rate {
                Some(0.0) => "-".to_owned(),
                rate => percent(rate),
            };
            grid.row(vec![
                label(method).to_owned(),
                flagged,
                fixed(figures.rates.accuracy),
                fixed(figures.rates.decided_accuracy),
                fixed(figures.rates.undecided_accuracy),
                fixed(figures.chow_cart),
                fixed(figures.chow_own),
                fixed(figures.aurc),
                fixed(figures.log_loss),
            ]);
        }
        format!("{}\n\n{}\n{}", style::heading(&self.title), grid.text(), style::dim(LEGEND))
    }

    fn csv(&self) -> String {
        let names: Vec<&str> = FIGURES.iter().map(|(name, _)| *name).collect();
        let mut csv = format!("zone,routing,{}\n", names.join(","));
        for method in self.methods {
            let figure = |(_, of): &Entry| {
                of(&method.figures).map_or_else(String::new, |figure| figure.to_string())
            };
            let figures: Vec<String> = FIGURES.iter().map(figure).collect();
            csv += &format!("{},{},{}\n", method.zone, method.routing, figures.join(","));
        }
        csv
    }

    fn markdown(&self) -> String {
        let names = FIGURES.iter().map(|(name, _)| name.replace('_', " "));
        let names: Vec<String> = ["zones".to_owned()].into_iter().chain(names).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut grid = Grid::new(&names);
        for method in self.methods {
            let figures = FIGURES.iter().map(|(_, of)| fixed(of(&method.figures)));
            grid.row(std::iter::once(label(method).to_owned()).chain(figures).collect());
        }
        format!("{}\n\n{}", self.title.replace('\n', ", "), grid.markdown())
    }

    fn json(&self) -> String {
        #[derive(Serialize)]
        struct Document<'a> {
            title: String,
            methods: Vec<Ordered<'a>>,
        }
        let methods = self.methods.iter().map(Ordered).collect();
        let document = Document { title: self.title.replace('\n', ", "), methods };
        let json = serde_json::to_string_pretty(&document).expect("plain data is always JSON");
        format!("{json}\n")
    }
}

/// A method's figures in the order of the table.
struct Ordered<'a>(&'a Measured);

impl Serialize for Ordered<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(FIGURES.len() + 2))?;
        map.serialize_entry("zone", self.0.zone)?;
        map.serialize_entry("routing", self.0.routing.as_str())?;
        for (name, of) in FIGURES {
            map.serialize_entry(name, &of(&self.0.figures))?;
        }
        map.end()
    }
}

fn label(method: &Measured) -> &str {
    if method.zone == "none" { "none (CART)" } else { method.zone }
}

const LEGEND: &str = "\
flagged: share of undecided rows. Accuracy of all rows, of the decided ones, of
the flagged ones; Chow: of as many rows as are decided, but chosen by the
confidence of plain CART; Chow*: by the confidence of the tree itself.
AURC (area under the risk-coverage curve) and logloss: lower is better.
";
