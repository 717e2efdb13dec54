//! The first step: the tested columns as numbers, or as ids of categories.

use super::dialect::Dialect;
use super::query::{Columns, Query};
use super::{Writer, key_name};
use crate::dataset::notation::Notation;
use crate::dataset::{Feature, FeatureKind};
use crate::error::Result;

/// The id of a category that the feature does not have.
pub(super) const UNSEEN: i32 = -1;

/// The name of a feature's column between the first step and the shares.
pub(super) fn input_name(feature: usize) -> String {
    format!("x{feature}")
}

impl Writer<'_> {
    pub(super) fn input(self, query: &mut Query) -> Result<()> {
        let mut columns = Columns::default();
        for (key, name) in self.options.keys.iter().enumerate() {
            columns.add(&key_name(key), &format!("t.{}", Dialect::name(name)));
        }
        for feature in self.model.tested_features() {
            columns.add(&input_name(feature), &self.input_value(feature));
        }
        query.step("input", &columns)
    }

    fn input_value(self, index: usize) -> String {
        let feature = &self.model.schema().features()[index];
        let name = self.options.columns.as_ref().map_or(&feature.name, |columns| &columns[index]);
        let column = format!("t.{}", Dialect::name(name));
        let value = match &feature.kind {
            FeatureKind::Number => self.number_of(feature, &column),
            FeatureKind::Categories(names) | FeatureKind::Ordered(names) => {
                self.id_of(names, &column)
            }
        };
        match (&feature.kind, feature.fill) {
            (_, None) => value,
            (FeatureKind::Number, Some(fill)) => {
                format!("COALESCE({value}, {})", self.number(fill))
            }
            (_, Some(fill)) => format!("COALESCE({value}, {fill})"),
        }
    }

    fn number_of(self, feature: &Feature, column: &str) -> String {
        let dialect = self.options.dialect;
        match &feature.notation {
            Notation::Number(_) | Notation::Percent(_) => dialect.as_number(column),
            Notation::Date(_) => dialect.since_1970(column, true),
            Notation::Time(_) => dialect.since_1970(column, false),
        }
    }

    /// The id of a category by its name; a boolean by any spelling of it.
    fn id_of(self, names: &[String], column: &str) -> String {
        let is_boolean =
            names.iter().all(|name| ["true", "false"].contains(&name.to_lowercase().as_str()));
        let mut text = self.options.dialect.as_text(column);
        let mut id = String::new();
        for (index, name) in names.iter().enumerate() {
            if is_boolean {
                let lower = name.to_lowercase();
                let digit = if lower == "true" { 1 } else { 0 };
                id += &format!(" WHEN '{lower}' THEN {index} WHEN '{digit}' THEN {index}");
            } else {
                id += &format!(" WHEN {} THEN {index}", Dialect::text(name));
            }
        }
        if is_boolean {
            text = format!("LOWER({text})");
        }
        let unseen = format!("CASE WHEN {column} IS NOT NULL THEN {UNSEEN} END");
        match names {
            [] => unseen,
            _ => format!("COALESCE(CASE {text}{id} END, {unseen})"),
        }
    }
}
