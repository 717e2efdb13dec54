//! Tables of cells as text and Markdown.

use crate::style;
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Rows of cells under a header line. The first column is a name, aligned left; the others are
/// numbers, aligned right, unless said otherwise.
pub(crate) struct Grid {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Columns of words, aligned left.
    words: Vec<usize>,
    /// From left to right, without overlap.
    spans: Vec<(Range<usize>, &'static str)>,
}

impl Grid {
    pub(crate) fn new(heads: &[&str]) -> Self {
        let heads = heads.iter().map(|&head| head.to_owned()).collect();
        Self { heads, rows: Vec::new(), words: vec![0], spans: Vec::new() }
    }

    /// Columns of words, besides the first one.
    pub(crate) fn words(mut self, columns: &[usize]) -> Self {
        self.words.extend(columns);
        self
    }

    /// A word above the headers of several columns. Text only.
    pub(crate) fn span(mut self, columns: Range<usize>, word: &'static str) -> Self {
        self.spans.push((columns, word));
        self
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    fn widths(&self) -> Vec<usize> {
        let n_columns = self.heads.len();
        let lines = || std::iter::once(&self.heads).chain(&self.rows);
        let width = |column: usize| lines().map(|line| line[column].width()).max();
        (0..n_columns).map(|column| width(column).unwrap_or(0)).collect()
    }

    /// As text: columns two spaces apart, the header highlighted.
    pub(crate) fn text(&self) -> String {
        let widths = self.widths();
        let aligned = |line: &Vec<String>| {
            let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                let room = " ".repeat(width - cell.width());
                if self.words.contains(&column) { format!("{cell}{room}") } else { room + cell }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut text = String::new();
        if !self.spans.is_empty() {
            text += &format!("{}\n", style::dim(self.spanned(&widths)));
        }
        text += &format!("{}\n", style::dim(aligned(&self.heads)));
        for row in &self.rows {
            text += &format!("{}\n", aligned(row));
        }
        text
    }

    /// The line above the header.
    fn spanned(&self, widths: &[usize]) -> String {
        let width = |range: &[usize]| range.iter().map(|width| width + 2).sum::<usize>();
        let mut line = String::new();
        for (columns, word) in &self.spans {
            let before = width(&widths[..columns.start]) - line.chars().count();
            let room = width(&widths[columns.clone()]) - 2;
            line += &format!("{:before$}{:─^room$}", "", format!(" {word} "));
        }
        line
    }

    /// As Markdown, with a single header line.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule: Vec<String> = (0..self.heads.len())
            .map(|column| if column == 0 { "---".to_owned() } else { "---:".to_owned() })
            .collect();
        let mut text = line(&self.heads) + &line(&rule);
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            text += &line(&cells);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut grid = Grid::new(&["name", "x"]);
        grid.row(vec!["a".to_owned(), "0.125".to_owned()]);
        grid.row(vec!["longer".to_owned(), "-".to_owned()]);
        let text = anstream::adapter::strip_str(&grid.text()).to_string();
        assert_eq!(text, "name        x\na       0.125\nlonger      -\n");
        assert_eq!(
            grid.markdown(),
            "| name | x |\n| --- | ---: |\n| a | 0.125 |\n| longer | - |\n"
        );
    }
}
