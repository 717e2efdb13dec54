//! The sentences of warnings: what is wrong, with or without figures, and what helps. The command and
//! Python share them, so they name no options or parameters.

use super::numbers::percent;
use crate::metrics::ClassTally;
use crate::verdict::{Advice, FlaggedBy};
use std::fmt;

impl Advice {
    /// The warning without figures and names of classes: the same text for every fold of a
    /// search, so that it can be shown once.
    #[must_use]
    pub fn in_general(&self) -> String {
        let problem = match self {
            Self::MostFlagged { .. } => "most rows are undecided",
            Self::NoneFlagged { .. } => "no row is undecided, although some are answered wrongly",
            Self::NoBetter { .. } => "decided rows are answered no better than undecided ones",
            Self::NeverRight { .. } => "of some class no row is decided rightly",
            Self::MostlyMissed { .. } => {
                "of some class most decided rows are decided as another class"
            }
            Self::ClassWeights => CLASS_WEIGHTS,
        };
        format!("{problem}{}", self.remedy())
    }

    /// What it means, and what helps.
    fn remedy(&self) -> String {
        match self {
            Self::MostFlagged { by, .. } => format!(": {}", of_most_flagged(*by)),
            Self::NoneFlagged { .. } => {
                ": the verdict says nothing; flag more (cheaper flags, or a flag rate), or promise \
                 something"
                    .to_owned()
            }
            Self::NoBetter { by_zones: true, .. } => {
                ": the zones are in the wrong places; flag by probability instead (by a cost ratio, \
                 a flag rate or a promised accuracy)"
                    .to_owned()
            }
            Self::NoBetter { by_zones: false, .. } => {
                ": the probabilities do not tell right answers from wrong ones; check that these \
                 rows are like those of training"
                    .to_owned()
            }
            Self::NeverRight { promised: true, .. } => {
                "; the promised miss rate holds, because such rows are undecided. To decide them, \
                 give them a larger class weight, or look for better features"
                    .to_owned()
            }
            Self::NeverRight { by, .. } | Self::MostlyMissed { by, .. } => of_missed(*by),
            Self::ClassWeights => String::new(),
        }
    }
}

fn of_most_flagged(by: FlaggedBy) -> String {
    let promise = match by {
        FlaggedBy::Zones => {
            return "few rows are outside the zones of all tests; grow a tree of less depth, or flag \
                    by probability (by a cost ratio or a flag rate)"
                .to_owned();
        }
        FlaggedBy::CostRatio => {
            return "few are sure enough to be cheaper than a flag; flag fewer (dearer flags, that is \
                    a larger cost ratio; or a flag rate), or look for better features"
                .to_owned();
        }
        FlaggedBy::CostMatrix => {
            return "few are sure enough to be cheaper than a flag; see whether a flag is as cheap as \
                    the cost matrix says, or look for better features"
                .to_owned();
        }
        FlaggedBy::Accuracy | FlaggedBy::Budget | FlaggedBy::Catch => "a lower accuracy",
        FlaggedBy::Promises { precision: true, miss_rate: true } => {
            "a lower precision or a higher miss rate"
        }
        FlaggedBy::Promises { miss_rate: true, .. } => "a higher miss rate",
        FlaggedBy::Promises { .. } => "a lower precision",
    };
    format!(
        "few are sure enough for what is promised; promise less ({promise}), or look for better features"
    )
}

/// What helps a class whose rows are decided as others.
fn of_missed(by: FlaggedBy) -> String {
    let weights = match by {
        // Class weights shift the probabilities that costs are compared with.
        FlaggedBy::CostRatio => {
            ", or give such rows a larger class weight and set the verdict by a flag rate or a \
             promised accuracy"
        }
        FlaggedBy::CostMatrix => {
            ", or make deciding them as another class dearer in the cost matrix"
        }
        _ => ", or give such rows a larger class weight",
    };
    let aim = if by == FlaggedBy::Budget { "aim the flags at it, " } else { "" };
    format!("; if that matters, {aim}promise a miss rate for it{weights}")
}

const CLASS_WEIGHTS: &str = "class weights shift the probabilities, and a verdict by cost takes them \
    at their word: the rows it flags are not those where a flag is cheaper; leave the class weights \
    out, or set the verdict by a flag rate or a promised accuracy";

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MostFlagged { share, .. } => {
                write!(f, "{} of the rows are flagged, so few answers stand", percent(*share))?;
            }
            Self::NoneFlagged { wrong, rows } => {
                write!(f, "no row is flagged, although {wrong} of {rows} are answered wrongly")?;
            }
            Self::NoBetter { decided, flagged, .. } => write!(
                f,
                "decided rows are answered no better than flagged ones ({} right, {} of the \
                 flagged)",
                percent(*decided),
                percent(*flagged)
            )?,
            Self::NeverRight { classes, tally, .. } => {
                let of = class_or_classes(classes);
                write!(f, "no row of {of} {} is decided rightly: ", listed(classes))?;
                let flagged = tally.rows.saturating_sub(tally.decided);
                match tally.decided {
                    0 => write!(f, "all {flagged} are flagged")?,
                    decided => write!(
                        f,
                        "of {} rows {flagged} are flagged, and {decided} decided as other classes",
                        tally.rows
                    )?,
                }
            }
            Self::MostlyMissed { classes, tally: tally @ ClassTally { decided, .. }, .. } => {
                write!(
                    f,
                    "most decided rows of {} {} are decided as another class: {} of {decided}",
                    class_or_classes(classes),
                    listed(classes),
                    tally.missed()
                )?;
            }
            Self::ClassWeights => f.write_str(CLASS_WEIGHTS)?,
        }
        f.write_str(&self.remedy())
    }
}

fn class_or_classes(names: &[String]) -> &'static str {
    if names.len() == 1 { "class" } else { "classes" }
}

/// "'a', 'b', 'c' and 4 more".
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("'{name}'")).collect();
    let more = names.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
