//! What a verb did, as one JSON document for other programs; or the error, if it failed.

use crate::cli::with_causes;
use crate::output::Output;
use crate::session::Session;
use anyhow::Result;
use serde::Serialize;

/// What was done.
#[derive(Serialize)]
struct Success<'a, T> {
    data: &'a str,
    #[serde(flatten)]
    result: T,
    /// As printed on standard error.
    warnings: Vec<String>,
}

/// Why it was not done.
#[derive(Serialize)]
struct Failure<'a> {
    data: &'a str,
    error: String,
    warnings: Vec<String>,
}

/// Writes the result of a verb, or its error, to `output`, and returns the error.
pub(crate) fn write<T: Serialize>(
    output: Output,
    data: &str,
    session: &Session,
    outcome: Result<T>,
) -> Result<()> {
    let warnings = session.warnings();
    let (document, outcome) = match outcome {
        Ok(result) => (serde_json::to_string_pretty(&Success { data, result, warnings })?, Ok(())),
        Err(error) => {
            let failure = Failure { data, error: with_causes(&error), warnings };
            (serde_json::to_string_pretty(&failure)?, Err(error))
        }
    };
    output.complete(document + "\n")?;
    outcome
}
