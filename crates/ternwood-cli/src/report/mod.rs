//! Tables of figures: text for people, JSON and CSV for programs, Markdown for documents.

mod curves;
mod grid;
mod prices;
mod signed;

use crate::evaluation::Measured;
use crate::output_format::NamedFormat;
use crate::style;
use crate::subgroups::{self, MeasuredGroup};
use clap::ValueEnum;
pub(crate) use grid::Grid;
pub(crate) use prices::{ClassTable, Prices};
use serde::Serialize;
use serde::ser::SerializeMap;
pub(crate) use signed::SignedReport;
use ternwood::ClassName;
use ternwood::metrics::Figures;
pub(crate) use ternwood::words::percent_or_dash as percent;

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
pub(crate) fn fixed(figure: Option<f64>) -> String {
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
            let grid = subgroups::grid(&table.columns, &table.groups);
            text += &format!("\n{}\n{}", grid.text(), style::dim(subgroups::LEGEND));
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
            let grid = subgroups::grid(&table.columns, &table.groups);
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
