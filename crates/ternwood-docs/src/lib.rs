//! The Rust on the pages of the documentation: `cargo test` compiles and runs every block.
//!
//! The pages find a `model.json` in the folder of this crate, where doc tests run: grown by `ternwood fit
//! docs/cli/data/patients.csv --target ill --drop smoker --zone margin --max-depth 2`.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/start.md")]
pub struct Start;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/rust.md")]
pub struct Guide;
