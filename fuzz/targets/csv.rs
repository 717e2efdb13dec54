//! A file named `.csv` is a table or an error, the same one however its bytes come.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ternwood_fuzz::tables::check("t.csv", data));
