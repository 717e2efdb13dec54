//! The folder that the demo writes.

use crate::output::Output;
use crate::style;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::Path;
use ternwood::Dataset;
use ternwood_table::{Column, Format, Table, TableWriter};

/// A folder, and whether files in it may be replaced.
pub(super) struct Files<'a> {
    pub(super) folder: &'a Path,
    pub(super) force: bool,
}

impl<'a> Files<'a> {
    /// Makes the folder; none of the files may be there, unless they may be replaced.
    pub(super) fn new(folder: &'a Path, force: bool, names: &[(&str, &str)]) -> Result<Self> {
        if folder.is_file() {
            bail!("{}: this is a file; name a folder", folder.display());
        }
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        if let Some((name, _)) = names.iter().find(|(name, _)| folder.join(name).exists())
            && !force
        {
            let path = folder.join(name);
            bail!("{} exists already; use --force to replace it, or another --out", path.display());
        }
        Ok(Self { folder, force })
    }

    fn create(&self, name: &str) -> Result<Output> {
        Output::file(&self.folder.join(name), self.force)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> Result<()> {
        self.create(name)?.complete(text)
    }

    pub(super) fn write_table(&self, name: &str, columns: Vec<Column>) -> Result<()> {
        let mut writer = TableWriter::new(name, self.create(name)?, Format::Csv)?;
        writer.write(&Table::from_columns(columns)?)?;
        writer.finish()?.finish()
    }

    /// What was written.
    pub(super) fn list(&self, out: &mut impl Write, names: &[(&str, &str)]) -> Result<()> {
        let folder = self.folder.display();
        writeln!(out, "\n{}", style::heading(format!("Written to {folder}")))?;
        for (name, what) in names {
            writeln!(out, "  {name:<18} {}", style::dim(what))?;
        }
        Ok(())
    }
}

/// A data set as a table of features and classes.
pub(super) fn data_columns(data: &Dataset, target: &str) -> Vec<Column> {
    let schema = data.schema();
    let values = |index| data.columns().column(index).to_vec();
    let features = schema.features().iter().enumerate();
    let mut columns: Vec<Column> =
        features.map(|(index, feature)| Column::numeric(&feature.name, values(index))).collect();
    let class = |&id: &u32| Some(schema.classes()[id as usize].to_string());
    columns.push(Column::text(target, data.labels().iter().map(class)));
    columns
}
