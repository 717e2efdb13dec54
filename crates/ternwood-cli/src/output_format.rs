//! The format of an output: asked for, or told by the name of the file.

use crate::cli::Usage;
use crate::output::OutputArgs;
use anyhow::{Result, bail};
use std::path::Path;

/// The formats that a verb can write.
pub(crate) trait NamedFormat: Copy + PartialEq + 'static {
    /// The endings of file names that tell the format; the usual one of each format comes first.
    const ENDINGS: &'static [(&'static str, Self)];
    /// The format on standard output, where no name tells it; `None` if it must be asked for.
    const UNNAMED: Option<Self>;
    /// The option that asks for a format.
    const OPTION: &'static str = "--format";
}

impl OutputArgs {
    /// The format asked for, or else that of the file's name.
    pub(crate) fn format<F: NamedFormat>(&self, asked_for: Option<F>) -> Result<F> {
        if let Some(format) = asked_for {
            return Ok(format);
        }
        let Some(path) = self.file().filter(|path| !is_device(path)) else {
            let must_ask = || Usage(format!("say what to write with {}", F::OPTION)).into();
            return F::UNNAMED.ok_or_else(must_ask);
        };
        let (name, ending) = (path.display(), ending(path));
        if let Some((_, format)) = F::ENDINGS.iter().find(|known| known.0 == ending) {
            return Ok(*format);
        }
        if ending == "gz" {
            bail!("{name}: output is not compressed; leave out .gz, or pipe it into gzip");
        }
        let fitting = fitting_endings::<F>();
        bail!(
            "{name}: the name does not tell the format; end it in {fitting}, or say {}",
            F::OPTION
        )
    }
}

/// Refuses a name that tells another format than SVG, the only one of figures.
pub(crate) fn check_figure(path: &Path) -> Result<()> {
    if ending(path) != "svg" && !is_device(path) {
        bail!("{}: figures are SVG files; end the name in .svg", path.display());
    }
    Ok(())
}

/// Refuses a name that tells another format than HTML, the only one of reports to sign.
pub(crate) fn check_page(path: &Path) -> Result<()> {
    if ending(path) != "html" && !is_device(path) {
        bail!("{}: the report is an HTML file; end the name in .html", path.display());
    }
    Ok(())
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// True for `/dev/stdout` or a pipe, whose names tell nothing.
fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// ".csv, .tsv or .parquet".
fn fitting_endings<F: NamedFormat>() -> String {
    let is_usual = |at: &usize| !F::ENDINGS[..*at].iter().any(|(_, f)| *f == F::ENDINGS[*at].1);
    let usual = (0..F::ENDINGS.len()).filter(is_usual);
    let endings: Vec<String> = usual.map(|at| format!(".{}", F::ENDINGS[at].0)).collect();
    match endings.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
