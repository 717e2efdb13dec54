//! File formats, detected from the first bytes or else from the file name.

use crate::error::{ErrorKind, Result};
use crate::source::Source;

/// A file format. Text files may be gzipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated (or otherwise delimited) text.
    Csv,
    /// Tab-separated text.
    Tsv,
    /// Weka's attribute-relation file format.
    Arff,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// The format of a file extension, with or without `.gz`: `.csv`, `.tsv`, `.tab`, `.arff`,
    /// `.parquet`, `.pq`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let stem = lower.strip_suffix(".gz").unwrap_or(&lower);
        let (_, extension) = stem.rsplit_once('.')?;
        match extension {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "arff" => Some(Self::Arff),
            "parquet" | "pq" => Some(Self::Parquet),
            _ => None,
        }
    }

    /// Detects the format of a source.
    ///
    /// Parquet and ARFF files are recognised by their first bytes, whatever their names (ARFF by
    /// `@relation` or `@attribute` after comments). For other texts the extension decides; without
    /// a known extension they are CSV.
    ///
    /// # Errors
    /// The file cannot be read, or has an unsupported format.
    pub fn detect(source: &Source) -> Result<Self> {
        let (raw, text) = source.heads(1 << 14)?;
        let refuse = |problem: &str, remedy| {
            let (file, problem) = (source.name().to_owned(), problem.to_owned());
            Err(ErrorKind::Format { file, problem, remedy }.into())
        };
        if raw.starts_with(b"PAR1") {
            return Ok(Self::Parquet);
        }
        if raw.starts_with(b"PK\x03\x04") {
            return refuse(
                "this is a zip archive or an Excel workbook",
                "unpack it, or export the sheet as CSV",
            );
        }
        for (magic, tool) in [
            (&b"\x28\xb5\x2f\xfd"[..], "this is a zstd file"),
            (b"BZh", "this is a bzip2 file"),
            (b"\xfd7zXZ", "this is an xz file"),
        ] {
            if raw.starts_with(magic) {
                return refuse(tool, "unpack it, or use gzip");
            }
        }
        if looks_like_arff(&text) {
            return Ok(Self::Arff);
        }
        match Self::from_name(source.name()) {
            Some(Self::Parquet) => refuse(
                "this is not a Parquet file (it does not begin with PAR1)",
                "name the file after its real format",
            ),
            Some(format) => Ok(format),
            None => Ok(Self::Csv),
        }
    }
}

/// The error for Parquet files if the crate was built without Parquet.
#[cfg(not(feature = "parquet"))]
pub(crate) fn without_parquet(file: &str) -> crate::Error {
    ErrorKind::Format {
        file: file.to_owned(),
        problem: "this is a Parquet file, and ternwood was built without Parquet".to_owned(),
        remedy: "build it with the feature `parquet`, or use CSV",
    }
    .into()
}

fn looks_like_arff(text: &[u8]) -> bool {
    let first = text
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !line.starts_with(b"%"));
    first.is_some_and(|line| {
        let lower = line.to_ascii_lowercase();
        lower.starts_with(b"@relation") || lower.starts_with(b"@attribute")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(name: &str, bytes: &[u8]) -> Result<Format> {
        Format::detect(&Source::bytes(name, bytes))
    }

    #[test]
    fn format_from_the_name() {
        assert_eq!(detect("a.csv", b"a,b").unwrap(), Format::Csv);
        assert_eq!(detect("dir.x/A.TSV", b"a\tb").unwrap(), Format::Tsv);
        assert_eq!(detect("a.arff.gz", b"").unwrap(), Format::Arff);
        assert_eq!(Format::from_name("noextension"), None);
    }

    #[test]
    fn format_from_the_content() {
        assert_eq!(detect("x", b"% hi\n\n@Relation r\n").unwrap(), Format::Arff);
        assert_eq!(detect("x.data", b"1,2\n").unwrap(), Format::Csv);
        assert_eq!(detect("x.csv", b"PAR1....").unwrap(), Format::Parquet);
        assert_eq!(detect("x.csv", b"% hi\n@RELATION r\n").unwrap(), Format::Arff);
    }

    #[test]
    fn unsupported_formats_are_refused() {
        for (name, bytes) in [
            ("a.xlsx", &b"PK\x03\x04rest"[..]),
            ("a.parquet", b"1,2,3"),
            ("a.csv", b"\xff\xfea\0,\0"),
            ("a.csv.zst", b"\x28\xb5\x2f\xfd"),
        ] {
            let error = detect(name, bytes).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Format { .. }), "{error}");
        }
        assert!(matches!(
            Format::detect(&Source::file("no/such/file.csv")).unwrap_err().kind(),
            ErrorKind::Io { .. }
        ));
    }
}
