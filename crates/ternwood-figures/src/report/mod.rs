//! A report on verdicts that a person can sign: one HTML file for the browser and the printer.

mod figures;
mod html;
mod style;

pub use figures::{INTERVAL_CONFIDENCE, Share};

use figures::CostSums;
use ternwood::dataset::one_line;
use ternwood::metrics::ClassTally;
use ternwood::model::UncoveredRows;
use ternwood::verdict::{CostMatrix, VerdictRule};
use ternwood::{ClassName, Result, Verdict, VerdictPolicy};

/// How the verdicts of a model, or of any classifier, do on labelled rows.
///
/// ```
/// use ternwood::{ClassName, Verdict::{Decided, Undecided}, VerdictPolicy};
/// use ternwood_figures::VerdictReport;
///
/// let classes = ["healthy", "ill"].map(ClassName::from);
/// let rows = [(0, 0, Decided), (0, 0, Undecided), (1, 1, Decided), (1, 0, Undecided)];
/// let policy = VerdictPolicy::default();
/// let report = VerdictReport::new("Patients", &policy, &classes, rows)?;
/// assert!(report.html().contains("2 of 4"));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct VerdictReport<'a> {
    title: &'a str,
    policy: &'a VerdictPolicy,
    classes: &'a [ClassName],
    rows: Vec<(u32, u32, Verdict)>,
    tallies: Vec<ClassTally>,
    costs: Option<CostMatrix>,
    uncovered: Option<UncoveredRows>,
    set_on_these_rows: bool,
    data: Vec<(String, String)>,
    model: Vec<(String, String)>,
    notes: Vec<String>,
}

impl<'a> VerdictReport<'a> {
    /// A report on rows, given as true class, answer and verdict.
    ///
    /// # Errors
    /// A class id that is not below the number of classes.
    pub fn new(
        title: &'a str,
        policy: &'a VerdictPolicy,
        classes: &'a [ClassName],
        rows: impl IntoIterator<Item = (u32, u32, Verdict)>,
    ) -> Result<Self> {
        let rows: Vec<_> = rows.into_iter().collect();
        let truth: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let predicted: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let verdicts: Vec<Verdict> = rows.iter().map(|row| row.2).collect();
        let tallies = ClassTally::count(&truth, &predicted, &verdicts, classes.len())?;
        let [data, model] = [Vec::new(), Vec::new()];
        let (costs, uncovered, set_on_these_rows, notes) = (None, None, false, Vec::new());
        Ok(Self {
            title,
            policy,
            classes,
            rows,
            tallies,
            costs,
            uncovered,
            set_on_these_rows,
            data,
            model,
            notes,
        })
    }

    /// The same report with what flags and answers cost. Without it, the policy may say so.
    #[must_use]
    pub fn with_costs(mut self, costs: Option<CostMatrix>) -> Self {
        self.costs = costs;
        self
    }

    /// The same report with the number of uncovered rows. `None`, as without it: the training table
    /// is not known.
    #[must_use]
    pub fn with_uncovered(mut self, uncovered: Option<UncoveredRows>) -> Self {
        self.uncovered = uncovered;
        self
    }

    /// The same report, which says that the verdict was set with its rows.
    #[must_use]
    pub fn set_on_these_rows(mut self) -> Self {
        self.set_on_these_rows = true;
        self
    }

    /// The same report with names and values that tell which data these are.
    #[must_use]
    pub fn with_data(mut self, facts: Vec<(String, String)>) -> Self {
        self.data = facts;
        self
    }

    /// The same report with names and values that tell which model this is: its recipe, seed,
    /// version and hash.
    #[must_use]
    pub fn with_model(mut self, facts: Vec<(String, String)>) -> Self {
        self.model = facts;
        self
    }

    /// The same report with sentences about what speaks against the verdict.
    #[must_use]
    pub fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }

    /// One HTML document: no scripts, nothing to load, no clock. The same report, the same bytes.
    #[must_use]
    pub fn html(&self) -> String {
        html::document(self)
    }

    fn names(&self) -> Vec<String> {
        self.classes.iter().map(|class| one_line(&class.to_string()).into_owned()).collect()
    }

    /// What the rows cost, and in which unit; `None` where nobody said what costs what.
    fn cost_sums(&self) -> Option<(CostSums, String)> {
        let rows = self.rows.iter().copied();
        if let Some(costs) = &self.costs {
            let unit = "In the unit of the costs that were given.".to_owned();
            return Some((CostSums::of(rows, costs), unit));
        }
        match self.policy {
            VerdictPolicy::Zones { .. } | VerdictPolicy::Catch(_) => None,
            VerdictPolicy::Costs(policy) => {
                let unit = "In the unit of the cost matrix of the verdict.".to_owned();
                Some((CostSums::of(rows, policy.costs()), unit))
            }
            VerdictPolicy::Confidence(policy) => {
                let VerdictRule::Cost { cost_ratio } = *policy.rule() else { return None };
                let costs = CostMatrix::of_ratio(self.classes.len(), cost_ratio).ok()?;
                let unit = format!("In wrong answers: a flag costs {cost_ratio} of one.");
                Some((CostSums::of(rows, &costs), unit))
            }
        }
    }
}
