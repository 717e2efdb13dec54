//! Downloading the collections from OpenML.
//!
//! Suite 99 lists tasks, a task names its data set and target, a data set its ARFF file and the
//! file's MD5. A file is kept, compressed, only if its MD5 is right; then its line is added to the
//! manifest. Data sets in the manifest are not downloaded again, so an interrupted download resumes
//! where it stopped.

use crate::collection::{CollectionName, expected};
use crate::error::{Error, Result};
use crate::results::write_whole;
use crate::run::Failure;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use ureq::Agent;

/// What to download, and the source and destination.
#[derive(Debug, Clone)]
pub struct Fetch {
    /// The server, such as [`Fetch::OPENML`].
    pub server: String,
    /// The destination folder; created if absent.
    pub folder: PathBuf,
    /// The collections to download.
    pub collections: Vec<CollectionName>,
}

/// The progress of a download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Data sets settled, whether present or failed.
    pub settled: usize,
    /// Data sets requested.
    pub wanted: usize,
}

/// A data set to download.
#[derive(Default)]
struct Wanted {
    collections: Vec<CollectionName>,
    /// The target named by the task; if missing, the data set's default.
    target: Option<String>,
}

/// OpenML's id of the CC18 suite.
const SUITE: u32 = 99;
/// In the suite, but omitted by the paper.
const CIFAR_10: u32 = 40_927;

impl Fetch {
    /// OpenML itself.
    pub const OPENML: &str = "https://www.openml.org";

    /// Downloads what is missing; `step` is called with the progress. Returns the data sets that
    /// could not be downloaded; all others are there.
    ///
    /// # Errors
    /// The list of data sets cannot be downloaded, or the folder cannot be written to.
    pub fn run(&self, mut step: impl FnMut(Fetched)) -> Result<Vec<Failure>> {
        fs::create_dir_all(&self.folder)
            .map_err(|source| Error::Write { path: self.folder.clone(), source })?;
        let server = OpenMl::new(&self.server);
        let mut manifest = Manifest::open(&self.folder)?;
        let (data_sets, mut failures) = self.wanted(&server)?;
        for (settled, (&openml_id, wanted)) in data_sets.iter().enumerate() {
            step(Fetched { settled, wanted: data_sets.len() });
            if manifest.has(openml_id) {
                continue;
            }
            match self.download(&server, openml_id, wanted) {
                Ok(line) => manifest.add(&line)?,
                Err(error @ Error::Write { .. }) => return Err(error),
                Err(error) => {
                    let dataset = format!("data set {openml_id}");
                    failures.push(Failure { dataset, error });
                }
            }
        }
        step(Fetched { settled: data_sets.len(), wanted: data_sets.len() });
        Ok(failures)
    }

    /// The data sets of the collections by OpenML id, and the tasks whose data sets could not be
    /// determined.
    fn wanted(&self, server: &OpenMl) -> Result<(BTreeMap<u32, Wanted>, Vec<Failure>)> {
        let mut wanted: BTreeMap<u32, Wanted> = BTreeMap::new();
        let mut failures = Vec::new();
        for &name in &self.collections {
            if name == CollectionName::Cc18 {
                for task in server.suite(SUITE)? {
                    match server.task(task) {
                        Ok(task) if task.data_set == CIFAR_10 => {}
                        Ok(task) => {
                            let entry = wanted.entry(task.data_set).or_default();
                            entry.collections.push(name);
                            entry.target = Some(task.target);
                        }
                        Err(error) => {
                            failures.push(Failure { dataset: format!("task {task}"), error });
                        }
                    }
                }
            } else {
                for &(openml_id, _) in expected(name) {
                    wanted.entry(openml_id).or_default().collections.push(name);
                }
            }
        }
        Ok((wanted, failures))
    }

    fn download(&self, server: &OpenMl, openml_id: u32, wanted: &Wanted) -> Result<Line> {
        let described = server.data_set(openml_id)?;
        let target = wanted.target.clone().or(described.target);
        let target = target.ok_or_else(|| Error::DataSet {
            name: described.name.clone(),
            problem: "neither a task nor OpenML names its target".to_owned(),
        })?;
        let file = format!("{openml_id}_{}.arff.gz", file_name(&described.name));
        let path = self.folder.join(&file);
        let partial = self.folder.join(format!("{file}.partial"));
        let md5 = server.server.download(&described.url, &partial);
        let kept = md5.and_then(|md5| {
            if md5 != described.md5 {
                let problem = format!("the file has MD5 {md5}, but OpenML says {}", described.md5);
                return Err(complaint(&described.url, problem));
            }
            rename(&partial, &path)
        });
        kept.inspect_err(|_| {
            // Clean-up: if removing the broken file fails, that is harmless.
            let _ = fs::remove_file(&partial);
        })?;
        Ok(Line {
            openml_id,
            name: described.name,
            file,
            collections: wanted.collections.clone(),
            dropped: described.ignored.into_iter().filter(|name| *name != target).collect(),
            target,
            md5: described.md5,
        })
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|source| Error::Write { path: to.to_owned(), source })
}

/// Keeps letters, digits and `.-_`; anything else could form a path.
fn file_name(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
    name.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect()
}

// The manifest during a download: complete after every data set.

/// One downloaded data set.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    openml_id: u32,
    name: String,
    file: String,
    collections: Vec<CollectionName>,
    target: String,
    dropped: Vec<String>,
    md5: String,
}

/// The lines, by OpenML id.
struct Manifest {
    path: PathBuf,
    lines: BTreeMap<u32, String>,
}

const HEADER: &str =
    "openml_id\tname\tfile\tcollections\tbayes_error\tname_in_paper\ttarget\tdropped\tmd5";

impl Manifest {
    /// Reads the existing manifest. Refuses a folder filled by something else.
    fn open(folder: &Path) -> Result<Self> {
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

    fn has(&self, openml_id: u32) -> bool {
        self.lines.contains_key(&openml_id)
    }

    /// Adds a line and saves the manifest.
    fn add(&mut self, line: &Line) -> Result<()> {
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

// OpenML's API: suites, tasks and data sets, each a JSON document.

/// OpenML, or a server with the same API.
struct OpenMl {
    server: Server,
    address: String,
}

/// The description of a data set.
#[derive(Debug, PartialEq)]
struct DataSet {
    name: String,
    /// The address of its ARFF file.
    url: String,
    md5: String,
    target: Option<String>,
    /// Columns that are not features.
    ignored: Vec<String>,
}

/// The description of a task.
#[derive(Debug, PartialEq)]
struct Task {
    data_set: u32,
    target: String,
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
    fn new(address: &str) -> Self {
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
    fn suite(&self, suite: u32) -> Result<Vec<u32>> {
        let (url, value) = self.ask(&format!("study/{suite}"))?;
        let tasks = value.pointer("/study/tasks/task_id").and_then(Value::as_array);
        let tasks = tasks.ok_or_else(|| complaint(&url, "it lists no tasks".to_owned()))?;
        let number = |task| whole(task).ok_or_else(|| complaint(&url, format!("task {task}?")));
        tasks.iter().map(number).collect()
    }

    /// The data set and the target of a task.
    fn task(&self, task: u32) -> Result<Task> {
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
    fn data_set(&self, openml_id: u32) -> Result<DataSet> {
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

fn complaint(url: &str, problem: String) -> Error {
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

// HTTP requests with retries.

/// An HTTP client.
struct Server {
    agent: Agent,
}

/// The number of attempts, and the first pause between them.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);

/// A failed request; `retryable` if a retry could help.
struct Refusal {
    problem: String,
    retryable: bool,
}

impl Server {
    fn new() -> Self {
        let config = Agent::config_builder()
            .timeout_connect(Some(Duration::from_secs(20)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .user_agent(concat!("ternwood/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: config.into() }
    }

    /// Downloads a short text.
    fn text(&self, url: &str) -> Result<String> {
        self.with_retries(url, || {
            let mut answer = self.agent.get(url).call().map_err(|error| Refusal::new(&error))?;
            answer.body_mut().read_to_string().map_err(|error| Refusal::new(&error))
        })
    }

    /// Downloads into a compressed file and returns the MD5 of the uncompressed bytes.
    fn download(&self, url: &str, path: &Path) -> Result<String> {
        let mut broken_folder = None;
        let outcome = self.with_retries(url, || {
            let answer = self.agent.get(url).call().map_err(|error| Refusal::new(&error))?;
            let body = answer.into_body().into_reader();
            store(body, path).map_err(|problem| {
                let retryable = matches!(problem, StoreError::Reading(_));
                let message = problem.to_string();
                if let StoreError::Writing(source) = problem {
                    broken_folder = Some(source);
                }
                Refusal { problem: message, retryable }
            })
        });
        match broken_folder {
            Some(source) => Err(Error::Write { path: path.to_owned(), source }),
            None => outcome,
        }
    }

    fn with_retries<T>(&self, url: &str, mut ask: impl FnMut() -> Result<T, Refusal>) -> Result<T> {
        let mut pause = PAUSE;
        for _ in 1..ATTEMPTS {
            match ask() {
                Err(refusal) if refusal.retryable => std::thread::sleep(pause),
                outcome => return outcome.map_err(|refusal| complaint(url, refusal.problem)),
            }
            pause *= 2;
        }
        ask().map_err(|refusal| complaint(url, refusal.problem))
    }
}

impl Refusal {
    fn new(error: &ureq::Error) -> Self {
        let retryable = match error {
            ureq::Error::StatusCode(code) => *code >= 500 || *code == 429,
            _ => true,
        };
        Self { problem: error.to_string(), retryable }
    }
}

#[derive(Debug, thiserror::Error)]
enum StoreError {
    #[error("the download broke off: {0}")]
    Reading(std::io::Error),
    #[error("{0}")]
    Writing(std::io::Error),
}

fn store(mut body: impl Read, path: &Path) -> Result<String, StoreError> {
    let file = BufWriter::new(File::create(path).map_err(StoreError::Writing)?);
    let mut out = GzEncoder::new(file, Compression::default());
    let mut md5 = md5::Context::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = body.read(&mut buffer).map_err(StoreError::Reading)?;
        if read == 0 {
            break;
        }
        md5.consume(&buffer[..read]);
        out.write_all(&buffer[..read]).map_err(StoreError::Writing)?;
    }
    out.finish().and_then(|mut file| file.flush()).map_err(StoreError::Writing)?;
    Ok(format!("{:x}", md5.finalize()))
}
