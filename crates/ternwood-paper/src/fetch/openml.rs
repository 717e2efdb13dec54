//! OpenML's API: suites, tasks and data sets, each a JSON document.

use super::server::Server;
use crate::error::{Error, Result};
use serde::Deserialize;
use serde_json::Value;

/// OpenML, or a server with the same API.
pub(super) struct OpenMl {
    pub(super) server: Server,
    address: String,
}

/// The description of a data set.
#[derive(Debug, PartialEq)]
pub(super) struct DataSet {
    pub(super) name: String,
    /// The address of its ARFF file.
    pub(super) url: String,
    pub(super) md5: String,
    pub(super) target: Option<String>,
    /// Columns that are not features.
    pub(super) ignored: Vec<String>,
}

/// The description of a task.
#[derive(Debug, PartialEq)]
pub(super) struct Task {
    pub(super) data_set: u32,
    pub(super) target: String,
}

#[derive(Deserialize)]
struct DataSetDocument {
    data_set_description: Description,
}

#[derive(Deserialize)]
struct Description {
    name: String,
    url: String,
    md5_checksum: String,
    default_target_attribute: Option<String>,
    #[serde(default)]
    ignore_attribute: Value,
    #[serde(default)]
    row_id_attribute: Value,
}

impl OpenMl {
    pub(super) fn new(address: &str) -> Self {
        Self { server: Server::new(), address: address.trim_end_matches('/').to_owned() }
    }

    fn ask(&self, what: &str) -> Result<(String, Value)> {
        let url = format!("{}/api/v1/json/{what}", self.address);
        let text = self.server.text(&url)?;
        let value = serde_json::from_str(&text)
            .map_err(|error| complaint(&url, format!("the answer is no JSON: {error}")))?;
        Ok((url, value))
    }

    /// The tasks of a suite.
    pub(super) fn suite(&self, suite: u32) -> Result<Vec<u32>> {
        let (url, value) = self.ask(&format!("study/{suite}"))?;
        let tasks = value.pointer("/study/tasks/task_id").and_then(Value::as_array);
        let tasks = tasks.ok_or_else(|| complaint(&url, "it lists no tasks".to_owned()))?;
        let number = |task| whole(task).ok_or_else(|| complaint(&url, format!("task {task}?")));
        tasks.iter().map(number).collect()
    }

    /// The data set and the target of a task.
    pub(super) fn task(&self, task: u32) -> Result<Task> {
        let (url, value) = self.ask(&format!("task/{task}"))?;
        let inputs = value.pointer("/task/input").and_then(Value::as_array);
        let source = inputs.into_iter().flatten().find_map(|input| {
            (input.get("name")?.as_str()? == "source_data").then(|| input.get("data_set"))?
        });
        let parsed = source.and_then(|source| {
            let data_set = whole(source.get("data_set_id")?)?;
            Some(Task { data_set, target: source.get("target_feature")?.as_str()?.to_owned() })
        });
        parsed.ok_or_else(|| complaint(&url, "it names no data set and target".to_owned()))
    }

    /// The description of a data set.
    pub(super) fn data_set(&self, openml_id: u32) -> Result<DataSet> {
        let (url, value) = self.ask(&format!("data/{openml_id}"))?;
        let document: DataSetDocument = serde_json::from_value(value).map_err(|error| {
            complaint(&url, format!("it does not describe a data set: {error}"))
        })?;
        let described = document.data_set_description;
        let mut ignored = names(&described.ignore_attribute);
        ignored.extend(names(&described.row_id_attribute));
        Ok(DataSet {
            name: described.name,
            url: described.url,
            md5: described.md5_checksum.to_lowercase(),
            target: described.default_target_attribute.filter(|target| !target.is_empty()),
            ignored,
        })
    }
}

pub(super) fn complaint(url: &str, problem: String) -> Error {
    Error::Server { url: url.to_owned(), problem }
}

/// OpenML sends numbers as numbers or as strings.
fn whole(value: &Value) -> Option<u32> {
    match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64()?.try_into().ok(),
    }
}

/// OpenML sends names as a list or as a comma-separated string.
fn names(value: &Value) -> Vec<String> {
    let split = |text: &str| -> Vec<String> {
        text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    };
    match value {
        Value::String(text) => split(text),
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
