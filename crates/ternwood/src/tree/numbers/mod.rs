//! Numbers for people.
//!
//! - `dates`: dates and durations;
//! - `decimal`: decimal numbers, as people read them;
//! - `digits`: the digits of a threshold and its zone, as few as tell the truth;
//! - `shown`: the numbers of a feature as text;
//! - `shares`: percentages and probabilities.

mod dates;
mod decimal;
mod digits;
mod shares;
mod shown;

pub use dates::{date_text, time_text};
pub use digits::Digits;
pub(crate) use shares::{percent_apart, percents_told_apart, plain_number, told_apart};
pub(super) use shares::{percent_between, percent_numbers};
pub use shown::ShownZone;
pub(crate) use shown::{exact_number, written_number};
