//! A file named `.arff` is a table or an error, the same one however its bytes come.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ternwood_fuzz::tables;

fuzz_target!(init: tables::let_readers_catch_panics(), |data: &[u8]| tables::check("t.arff", data));
