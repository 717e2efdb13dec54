//! How a file is laid out, as far as it was guessed.

use crate::delimited;
use crate::error::Result;
use crate::format::Format;
use crate::options::ReadOptions;
use crate::source::Source;

/// How a file is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLayout {
    /// Its format.
    pub format: Format,
    /// What separates the fields of a text table, and whether the first line has their names.
    pub text: Option<TextLayout>,
}

/// How a delimited text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLayout {
    /// The character between fields.
    pub delimiter: char,
    /// Whether the first line has the names of the columns.
    pub header: bool,
}

impl FileLayout {
    /// The layout of a file, as [`read_table`](crate::read_table) takes it to be with the same
    /// options. Looks at the first lines only.
    ///
    /// # Errors
    /// The file cannot be read, or is malformed there.
    pub fn of(source: &Source, options: &ReadOptions) -> Result<Self> {
        let format = options.format.map_or_else(|| Format::detect(source), Ok)?;
        let text = match format {
            Format::Csv | Format::Tsv => Some(delimited::layout(source, format, options)?),
            Format::Arff | Format::Parquet => None,
        };
        Ok(Self { format, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(name: &str, text: &str) -> FileLayout {
        let source = Source::bytes(name, text.as_bytes());
        FileLayout::of(&source, &ReadOptions::new()).unwrap()
    }

    #[test]
    fn what_was_guessed_is_told() {
        let semicolons = TextLayout { delimiter: ';', header: true };
        let expected = FileLayout { format: Format::Csv, text: Some(semicolons) };
        assert_eq!(layout("t.csv", "a;b\n1,5;2\n"), expected);
        let tabs = TextLayout { delimiter: '\t', header: false };
        let expected = FileLayout { format: Format::Tsv, text: Some(tabs) };
        assert_eq!(layout("t.tsv", "1\t2\n3\t4\n"), expected);
        let arff = layout("t.csv", "@relation r\n@attribute x real\n@data\n1\n");
        assert_eq!(arff, FileLayout { format: Format::Arff, text: None });
    }
}
