//! The files derived from results.

use crate::error::{Error, Result};
use crate::published::Published;
use crate::results::{Results, write_whole};
use crate::tables::{Agreement, Table, tables};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// The subfolder for tables.
pub const TABLES: &str = "tables";
/// The summary of agreement.
pub const SUMMARY: &str = "summary.md";

/// Writes every table as Markdown, LaTeX and CSV, and a summary of the agreement with the published
/// numbers. Each file is either complete or unchanged.
///
/// # Errors
/// A file cannot be written.
pub fn write_tables(
    folder: &Path,
    results: &Results,
    published: &Published,
) -> Result<(Vec<Table>, Agreement)> {
    let tables = tables(results, published);
    let agreement = Agreement::of(&tables);
    let into = folder.join(TABLES);
    make_folder(&into)?;
    for table in &tables {
        for (ending, text) in
            [("md", table.markdown()), ("tex", table.latex()), ("csv", table.csv())]
        {
            write_file(&into.join(format!("{}.{ending}", table.name)), &text)?;
        }
    }
    write_file(&folder.join(SUMMARY), &summary(&tables, &agreement, published))?;
    Ok((tables, agreement))
}

fn summary(tables: &[Table], agreement: &Agreement, published: &Published) -> String {
    let mut text = String::from("# The paper's experiments, run again\n\n");
    if published.is_empty() {
        text += "No published numbers were given, so there is nothing to compare with.\n";
    } else {
        text += &agreement.markdown();
    }
    text += "\n## Tables\n\n";
    for table in tables {
        let _ = writeln!(text, "- [{}]({TABLES}/{}.md)", table.title, table.name);
    }
    text
}

/// Makes a folder, and the folders above it.
///
/// # Errors
/// A folder cannot be made.
pub fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path)
        .map_err(|source| Error::Write { path: path.to_path_buf(), source })
}

/// Writes a text file. It ends up either complete or unchanged.
///
/// # Errors
/// The file cannot be written.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    write_whole(path, |out| out.write_all(text.as_bytes()))
}
