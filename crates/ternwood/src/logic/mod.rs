//! Three-valued logic: what a test can say, and what that makes of a prediction.
//!
//! A test against an uncertainty zone answers with a [`Truth`]: `False` below the zone,
//! `True` above it, `Undecided` inside. Truth values combine by Kleene's strong logic, in
//! which a conjunction with one false member is false whatever the unknown members are.
//!
//! A prediction carries a [`Verdict`], which is a type of its own because it answers another
//! question: not *what* holds, but *whether every test on the way was clear*. Both `True` and
//! `False` are clear answers, so both are [`Verdict::Decided`].

mod truth;
mod verdict;

pub use truth::Truth;
pub use verdict::Verdict;
