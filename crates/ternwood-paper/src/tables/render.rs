//! Tables as Markdown, LaTeX and CSV.

use super::{Agreement, Basis, Cell, Table};
use std::fmt::Write;

impl Table {
    /// Our number, with the published one and the difference in brackets.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("### {}\n\n", self.title);
        if self.has_published() {
            text += "Ours (published; difference, `=` if all printed digits agree).\n\n";
        }
        let header: Vec<String> =
            self.labels.iter().chain(&self.columns).map(|name| name.replace('_', " ")).collect();
        let rules: Vec<&str> = std::iter::repeat_n("---", self.labels.len())
            .chain(std::iter::repeat_n("---:", self.columns.len()))
            .collect();
        text += &format!("| {} |\n|{}|\n", header.join(" | "), rules.join("|"));
        for (labels, cells) in &self.rows {
            let cells = cells.iter().map(|cell| match (&cell.published, cell.told_difference()) {
                (Some(published), Some(told)) => {
                    format!("{} ({published}; {told})", cell.printed())
                }
                _ => cell.printed(),
            });
            let fields: Vec<String> = labels.iter().cloned().chain(cells).collect();
            text += &format!("| {} |\n", fields.join(" | "));
        }
        for note in &self.notes {
            text += &format!("\n{note}\n");
        }
        text
    }

    /// Aligned columns for a terminal: our number, with the published one in brackets.
    #[must_use]
    pub fn text(&self) -> String {
        let names = self.labels.iter().chain(&self.columns);
        let mut lines: Vec<Vec<String>> = vec![names.map(|name| name.replace('_', " ")).collect()];
        for (labels, cells) in &self.rows {
            let cells = cells.iter().map(|cell| match &cell.published {
                Some(published) => format!("{} ({published})", cell.printed()),
                None => cell.printed(),
            });
            lines.push(labels.iter().cloned().chain(cells).collect());
        }
        let letters = |field: &String| field.chars().count();
        let widths: Vec<usize> = (0..lines[0].len())
            .map(|column| lines.iter().map(|line| letters(&line[column])).max().unwrap_or(0))
            .collect();
        let mut text = String::new();
        for line in lines {
            let mut aligned = String::new();
            for (column, field) in line.iter().enumerate() {
                let room = " ".repeat(widths[column] - letters(field));
                let is_label = column < self.labels.len();
                aligned +=
                    &if is_label { format!("{field}{room}  ") } else { format!("{room}{field}  ") };
            }
            text += aligned.trim_end();
            text.push('\n');
        }
        text
    }

    /// A `table` environment that needs no package, with the published number in small print.
    #[must_use]
    pub fn latex(&self) -> String {
        let columns = "l".repeat(self.labels.len()) + &"r".repeat(self.columns.len());
        let header: Vec<String> = (self.labels.iter().chain(&self.columns))
            .map(|name| escaped(&name.replace('_', " ")))
            .collect();
        let mut text = format!(
            "\\begin{{table}}\n\\caption{{{}}}\n\\begin{{tabular}}{{{columns}}}\n\\hline\n{} \\\\\n\\hline\n",
            escaped(&self.title),
            header.join(" & ")
        );
        for (labels, cells) in &self.rows {
            let cells = cells.iter().map(|cell| match (&cell.published, cell.told_difference()) {
                (Some(published), Some(told)) => format!(
                    "{} {{\\scriptsize ({}; ${told}$)}}",
                    escaped(&cell.printed()),
                    escaped(published)
                )
                .replace("$differs$", "differs"),
                _ => escaped(&cell.printed()),
            });
            let fields: Vec<String> =
                labels.iter().map(|label| escaped(label)).chain(cells).collect();
            text += &format!("{} \\\\\n", fields.join(" & "));
        }
        text += "\\hline\n\\end{tabular}\n\\end{table}\n";
        text
    }

    /// All digits: our number, the published one and the difference per column.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let compared: Vec<bool> = (0..self.columns.len())
            .map(|column| self.rows.iter().any(|(_, cells)| cells[column].published.is_some()))
            .collect();
        let mut header: Vec<String> = self.labels.iter().map(|&label| label.to_owned()).collect();
        for (column, &compared) in self.columns.iter().zip(&compared) {
            header.push((*column).to_owned());
            if compared {
                header.push(format!("{column}_published"));
                header.push(format!("{column}_difference"));
            }
        }
        let mut lines = vec![header];
        for (labels, cells) in &self.rows {
            let mut fields = labels.clone();
            for (cell, &compared) in cells.iter().zip(&compared) {
                fields.push(unrounded(cell));
                if compared {
                    fields.push(cell.published.clone().unwrap_or_default());
                    let difference = cell.difference();
                    fields.push(difference.map_or(String::new(), |value| format!("{value:.6}")));
                }
            }
            lines.push(fields);
        }
        for line in lines {
            writer.write_record(line).expect("writing to memory");
        }
        let bytes = writer.into_inner().expect("writing to memory");
        String::from_utf8(bytes).expect("only text was written")
    }

    fn has_published(&self) -> bool {
        self.rows.iter().any(|(_, cells)| cells.iter().any(|cell| cell.published.is_some()))
    }
}

fn unrounded(cell: &Cell) -> String {
    match cell.ours {
        super::Value::Number(value, _) => value.to_string(),
        super::Value::Missing => String::new(),
        super::Value::Words(ref words) => words.clone(),
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if "&%$#_{}".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

impl Agreement {
    /// The number of cells that agree, and a list of those that do not.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::from(
            "| table | what is compared | cells | all printed digits agree |\n|---|---|---:|---:|\n",
        );
        for ((table, basis), (cells, agree)) in &self.counts {
            let _ = writeln!(text, "| {table} | {} | {cells} | {agree} |", basis.describe());
        }
        for basis in [Basis::Same, Basis::Filled, Basis::Cart, Basis::FewerSets] {
            let (cells, agree) = self.total(basis);
            if cells > 0 {
                let _ = writeln!(text, "| **all** | {} | {cells} | {agree} |", basis.describe());
            }
        }
        let listed: Vec<_> =
            self.disagreements.iter().filter(|d| d.basis != Basis::FewerSets).collect();
        if !listed.is_empty() {
            text += "\nCells that differ (means over fewer data sets aside):\n\n";
            text += "| table | row | column | ours | published | why |\n";
            text += "|---|---|---|---:|---:|---|\n";
        }
        for d in listed {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} |",
                d.table,
                d.row,
                d.column,
                d.ours,
                d.published,
                d.cause()
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let cell = |ours, published: &str| {
            Cell::number(Some(ours), 4, Basis::Same).beside(Some(published.to_owned()))
        };
        Table {
            name: "example",
            title: "50 % of A & B".to_owned(),
            labels: vec!["data_set"],
            columns: vec!["accuracy"],
            rows: vec![
                (vec!["a_b".to_owned()], vec![cell(0.71234, "0.7123")]),
                (vec!["c".to_owned()], vec![cell(0.5, "0.4901")]),
            ],
            notes: Vec::new(),
        }
    }

    #[test]
    fn markdown_has_the_published_number_and_the_difference() {
        let text = table().markdown();
        assert!(text.contains("| a_b | 0.7123 (0.7123; =) |"), "{text}");
        assert!(text.contains("| c | 0.5000 (0.4901; +0.0099) |"), "{text}");
    }

    #[test]
    fn latex_is_escaped() {
        let text = table().latex();
        assert!(text.contains("\\caption{50 \\% of A \\& B}"), "{text}");
        assert!(text.contains("a\\_b & 0.7123 {\\scriptsize (0.7123; $=$)} \\\\"), "{text}");
    }

    #[test]
    fn csv_has_all_digits() {
        let expected = "data_set,accuracy,accuracy_published,accuracy_difference\n\
                        a_b,0.71234,0.7123,0.000040\nc,0.5,0.4901,0.009900\n";
        assert_eq!(table().csv(), expected);
    }

    #[test]
    fn agreement_counts_and_lists() {
        let agreement = Agreement::of(&[table()]);
        assert_eq!(agreement.total(Basis::Same), (2, 1));
        assert!(agreement.markdown().contains("| example | c | accuracy | 0.5000 | 0.4901 |"));
    }
}
