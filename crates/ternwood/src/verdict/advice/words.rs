//! The sentences of warnings. They say what helps in words, which the command and Python share;
//! their names of parameters differ.

use super::{Advice, FlaggedBy};
use std::fmt;

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MostFlagged { share, by } => {
                write!(f, "{} of the rows are flagged, so few answers stand: ", percent(*share))?;
                f.write_str(match by {
                    FlaggedBy::Zones => {
                        "few rows are outside the zones of all tests; grow a tree of less depth, \
                         or flag by probability (by a cost ratio or a flag rate)"
                    }
                    FlaggedBy::CostRatio => {
                        "few are sure enough to be cheaper than a flag; flag fewer (a larger \
                         cost ratio, or a flag rate), or look for better features"
                    }
                    FlaggedBy::CostMatrix => {
                        "few are sure enough to be cheaper than a flag; see whether a flag is as \
                         cheap as the cost matrix says, or look for better features"
                    }
                    FlaggedBy::Promises => {
                        "few are sure enough for the promises; promise less (a lower \
                         precision, a higher miss rate), or look for better features"
                    }
                    FlaggedBy::Accuracy | FlaggedBy::Budget => {
                        "few are sure enough for the promise; promise less (a lower \
                         accuracy), or look for better features"
                    }
                })
            }
            Self::NoneFlagged { wrong, rows } => write!(
                f,
                "no row is flagged, although {wrong} of {rows} are answered wrongly: the verdict \
                 says nothing; flag more (cheaper flags, or a flag rate), or promise something"
            ),
            Self::NoBetter { decided, flagged, by_zones } => {
                write!(
                    f,
                    "decided rows are answered no better than flagged ones ({} right, {} of the \
                     flagged): ",
                    percent(*decided),
                    percent(*flagged)
                )?;
                f.write_str(if *by_zones {
                    "the zones are in the wrong places; flag by probability instead (by a cost \
                     ratio, a flag rate or a promised accuracy)"
                } else {
                    "the probabilities do not tell right answers from wrong ones; check that these \
                     rows are like those of training"
                })
            }
            Self::NeverRight { classes, tally } => {
                let of = if classes.len() == 1 { "class" } else { "classes" };
                write!(f, "no row of {of} {} is decided rightly: ", listed(classes))?;
                let flagged = tally.rows.saturating_sub(tally.decided);
                match tally.decided {
                    0 => write!(f, "all {flagged} are flagged")?,
                    decided => write!(
                        f,
                        "of {} rows {flagged} are flagged, and {decided} decided for other classes",
                        tally.rows
                    )?,
                }
                f.write_str(
                    "; if that matters, promise a miss rate of it, or give such rows a larger \
                     class weight and set the verdict by a flag rate or a promised accuracy",
                )
            }
            Self::ClassWeights => f.write_str(
                "class weights shift the probabilities, and a verdict by cost takes them at their \
                 word: the rows it flags are not those where a flag is cheaper; leave the \
                 class weights out, or set the verdict by a flag rate or a promised accuracy",
            ),
        }
    }
}

/// "'a', 'b', 'c' and 4 more".
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("'{name}'")).collect();
    let more = names.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
