//! The manifest during a download: complete after every data set.

use crate::collection::CollectionName;
use crate::error::{Error, Result};
use crate::results::write_whole;
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// One downloaded data set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) openml_id: u32,
    pub(super) name: String,
    pub(super) file: String,
    pub(super) collections: Vec<CollectionName>,
    pub(super) target: String,
    pub(super) dropped: Vec<String>,
    pub(super) md5: String,
}

/// The lines, by OpenML id.
pub(super) struct Manifest {
    path: PathBuf,
    lines: BTreeMap<u32, String>,
}

const HEADER: &str =
    "openml_id\tname\tfile\tcollections\tbayes_error\tname_in_paper\ttarget\tdropped\tmd5";

impl Manifest {
    /// Reads the existing manifest. Refuses a folder filled by something else.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let path = folder.join("manifest.tsv");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(problem) if problem.kind() == ErrorKind::NotFound => format!("{HEADER}\n"),
            Err(source) => return Err(Error::Read { path, source }),
        };
        let complaint = |line, problem: &str| Error::Line {
            path: path.clone(),
            line,
            problem: problem.to_owned(),
        };
        let mut rows = text.lines().enumerate();
        if rows.next().is_none_or(|(_, header)| header != HEADER) {
            let problem = "this manifest was not written by a download; name another folder";
            return Err(complaint(1, problem));
        }
        let mut lines = BTreeMap::new();
        for (index, line) in rows {
            let id = line.split('\t').next().and_then(|id| id.parse().ok());
            let id = id.ok_or_else(|| complaint(index + 1, "it does not begin with a number"))?;
            // Skips lines whose file is gone.
            let file = line.split('\t').nth(2).unwrap_or_default();
            if folder.join(file).is_file() {
                lines.insert(id, line.to_owned());
            }
        }
        Ok(Self { path, lines })
    }

    pub(super) fn has(&self, openml_id: u32) -> bool {
        self.lines.contains_key(&openml_id)
    }

    /// Adds a line and saves the manifest.
    pub(super) fn add(&mut self, line: &Line) -> Result<()> {
        self.lines.insert(line.openml_id, line.written());
        write_whole(&self.path, |out| {
            writeln!(out, "{HEADER}")?;
            self.lines.values().try_for_each(|line| writeln!(out, "{line}"))
        })
    }
}

impl Line {
    fn written(&self) -> String {
        let collections: Vec<&str> = self.collections.iter().map(|c| c.as_str()).collect();
        let (bayes_error, name_in_paper) = match self.openml_id {
            60 => ("0.14", ""),
            1507 => ("0.023", ""),
            1496 => ("0.017", ""),
            53 => ("", "heart-c"),
            _ => ("", ""),
        };
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        [
            self.openml_id.to_string(),
            plain(&self.name),
            self.file.clone(),
            collections.join("+"),
            bayes_error.to_owned(),
            name_in_paper.to_owned(),
            plain(&self.target),
            plain(&self.dropped.join("|")),
            self.md5.clone(),
        ]
        .join("\t")
    }
}
