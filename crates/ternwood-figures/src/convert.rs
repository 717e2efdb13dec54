//! Figures as PNG or PDF, made by a program that can: cairo's or a browser.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a figure can be converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// Pixels, two for every one of the figure.
    Png,
    /// One page of the figure's size.
    Pdf,
}

impl ImageFormat {
    fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Pdf => "pdf",
        }
    }
}

/// Why a figure was not converted.
#[derive(Debug)]
pub enum ConvertError {
    /// No program that can is on the path.
    NoProgram,
    /// A program failed, and this is what it said.
    Failed {
        /// The program.
        program: String,
        /// Its complaint.
        problem: String,
    },
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProgram => write!(
                f,
                "figures are SVG, and none of the programs that convert them is at hand: {}; install one \
                 of them, or save the figure as .svg",
                PROGRAMS.map(|(name, _)| name).join(", ")
            ),
            Self::Failed { program, problem } => {
                write!(f, "{program} could not convert the figure: {problem}; save it as .svg")
            }
        }
    }
}

impl std::error::Error for ConvertError {}

/// How a program is called.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Rsvg,
    CairoSvg,
    Browser,
}

/// In order of preference: cairo's programs start much faster than a browser.
const PROGRAMS: [(&str, Kind); 5] = [
    ("rsvg-convert", Kind::Rsvg),
    ("cairosvg", Kind::CairoSvg),
    ("chromium", Kind::Browser),
    ("chromium-browser", Kind::Browser),
    ("google-chrome", Kind::Browser),
];

/// Converts an SVG document with the first program that is on the path.
///
/// # Errors
/// There is none, or it fails.
pub fn converted(svg: &str, format: ImageFormat) -> Result<Vec<u8>, ConvertError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = PROGRAMS.iter().find_map(|(name, kind)| Some((on_path(name, &path)?, *kind)));
    let Some((program, kind)) = found else { return Err(ConvertError::NoProgram) };
    let failed = |problem: String| {
        let program = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ConvertError::Failed { program, problem }
    };
    let folder = Folder::new().map_err(|error| failed(error.to_string()))?;
    convert(&program, kind, svg, format, &folder.0).map_err(failed)
}

fn on_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path).map(|folder| folder.join(&file)).find(|file| file.is_file())
}

fn convert(
    program: &Path,
    kind: Kind,
    svg: &str,
    format: ImageFormat,
    folder: &Path,
) -> Result<Vec<u8>, String> {
    let (input, text) = match kind {
        Kind::Browser => (folder.join("figure.html"), as_page(svg)),
        Kind::Rsvg | Kind::CairoSvg => (folder.join("figure.svg"), svg.to_owned()),
    };
    // Chromium refuses names that do not tell the format.
    let output = folder.join("figure").with_extension(format.name());
    let said = |error: std::io::Error| error.to_string();
    std::fs::write(&input, text).map_err(said)?;
    let done = Command::new(program)
        .args(arguments(kind, svg, format, [&input, &output]))
        .stdin(Stdio::null())
        .output()
        .map_err(said)?;
    std::fs::read(&output).map_err(|_| {
        let complaint = String::from_utf8_lossy(&done.stderr);
        complaint.lines().last().unwrap_or("it wrote nothing").trim().to_owned()
    })
}

fn arguments(
    kind: Kind,
    svg: &str,
    format: ImageFormat,
    [input, output]: [&PathBuf; 2],
) -> Vec<OsString> {
    let name = format.name();
    let mut arguments: Vec<OsString> = Vec::new();
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    match (kind, format) {
        (Kind::Rsvg, ImageFormat::Png) => arguments.extend(words(&["--zoom=2"])),
        (Kind::CairoSvg, ImageFormat::Png) => arguments.extend(words(&["--scale", "2"])),
        (Kind::Rsvg | Kind::CairoSvg, ImageFormat::Pdf) => {}
        (Kind::Browser, _) => {
            arguments.extend(words(&["--headless", "--disable-gpu", "--hide-scrollbars"]));
            // A browser of the administrator has no sandbox; the page has no script.
            if belongs_to_administrator(input) {
                arguments.push("--no-sandbox".into());
            }
        }
    }
    match (kind, format) {
        (Kind::Rsvg, _) => {
            arguments.extend(words(&[&format!("--format={name}"), "--unlimited", "--output"]));
            arguments.extend([output.into(), input.into()]);
        }
        (Kind::CairoSvg, _) => {
            arguments.extend(words(&["--format", name, "--output"]));
            arguments.extend([output.into(), input.into()]);
        }
        (Kind::Browser, ImageFormat::Pdf) => {
            arguments.extend([option("--print-to-pdf=", output), "--no-pdf-header-footer".into()]);
            arguments.push(input.into());
        }
        (Kind::Browser, ImageFormat::Png) => {
            let [width, height] = size(svg);
            let window = format!("--window-size={width},{height}");
            arguments.extend([option("--screenshot=", output), window.into()]);
            arguments.extend(["--force-device-scale-factor=2".into(), input.into()]);
        }
    }
    arguments
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// The figure alone on a page of its size.
fn as_page(svg: &str) -> String {
    let [width, height] = size(svg);
    format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><style>@page {{ size: {width}px {height}px; margin: 0 }}\
         body {{ margin: 0 }} svg {{ display: block }}</style>{svg}"
    )
}

/// Width and height, as the document begins with them.
fn size(svg: &str) -> [&str; 2] {
    [" width=\"", " height=\""].map(|name| {
        let value = svg.split_once(name).and_then(|(_, rest)| rest.split_once('"'));
        value.map_or("800", |(value, _)| value)
    })
}

/// Whether the administrator wrote a file: one of ours tells who runs the program.
#[cfg(unix)]
fn belongs_to_administrator(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(file).is_ok_and(|file| file.uid() == 0)
}

#[cfg(not(unix))]
fn belongs_to_administrator(_: &Path) -> bool {
    false
}

/// A folder of our own, which is gone when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("ternwood-figure-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // Fails if it exists: nobody else can have put something into it.
        std::fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30\" height=\"20\"></svg>";

    #[test]
    fn a_page_has_the_size_of_the_figure() {
        assert_eq!(size(SVG), ["30", "20"]);
        assert!(as_page(SVG).contains("size: 30px 20px"));
    }

    #[test]
    fn without_a_program_all_are_named() {
        assert_eq!(on_path("rsvg-convert", OsStr::new("")), None);
        let words = ConvertError::NoProgram.to_string();
        assert!(
            words.contains("rsvg-convert, cairosvg, chromium") && words.contains(".svg"),
            "{words}"
        );
    }

    #[test]
    #[cfg(unix)]
    fn a_program_that_fails_is_quoted() {
        let folder = Folder::new().expect("a temporary folder");
        let problem = convert(Path::new("false"), Kind::Rsvg, SVG, ImageFormat::Png, &folder.0);
        assert_eq!(problem.unwrap_err(), "it wrote nothing");
        let path = folder.0.clone();
        drop(folder);
        assert!(!path.exists());
    }
}
