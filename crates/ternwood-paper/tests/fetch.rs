//! Downloads from a local server that answers in OpenML's formats.

#![cfg(feature = "fetch")]
#![expect(clippy::unwrap_used, reason = "a test: what cannot be read shall fail it")]

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use ternwood_paper::{Collection, CollectionName, Failure, Fetch, PaperData};

/// The server's answers by path, and the paths requested.
#[derive(Default)]
struct Answers {
    of_paths: BTreeMap<String, (u16, String)>,
    asked: HashMap<String, usize>,
    /// Paths whose first answers break off midway, and how many of them.
    broken: BTreeMap<String, usize>,
}

struct Server {
    address: String,
    answers: Arc<Mutex<Answers>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answers = Arc::new(Mutex::new(Answers::default()));
        let shared = Arc::clone(&answers);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(&stream.unwrap(), &shared);
            }
        });
        Self { address, answers }
    }

    fn answer(&self, path: &str, status: u16, body: impl Into<String>) {
        self.answers.lock().unwrap().of_paths.insert(path.to_owned(), (status, body.into()));
    }

    fn break_off(&self, path: &str, times: usize) {
        self.answers.lock().unwrap().broken.insert(path.to_owned(), times);
    }

    fn asked(&self, path: &str) -> usize {
        self.answers.lock().unwrap().asked.get(path).copied().unwrap_or(0)
    }

    /// Serves a data set as OpenML does: description and file.
    fn data_set(&self, id: u32, name: &str, arff: &str, more: &str) {
        let md5 = format!("{:x}", md5::compute(arff));
        let file = name.replace(['/', ' '], "-");
        let url = format!("{}/data/v1/download/{id}/{file}.arff", self.address);
        self.answer(
            &format!("/api/v1/json/data/{id}"),
            200,
            format!(
                r#"{{"data_set_description":{{"id":"{id}","name":"{name}","version":"1","format":"ARFF",
                "url":"{url}","default_target_attribute":"class","md5_checksum":"{md5}"{more}}}}}"#
            ),
        );
        self.answer(&format!("/data/v1/download/{id}/{file}.arff"), 200, arff);
    }

    fn task(&self, task: u32, data_set: u32, target: &str) {
        self.answer(
            &format!("/api/v1/json/task/{task}"),
            200,
            format!(
                r#"{{"task":{{"task_id":"{task}","task_type_id":"1","input":[
                {{"name":"source_data","data_set":{{"data_set_id":"{data_set}","target_feature":"{target}"}}}},
                {{"name":"cost_matrix","cost_matrix":[]}}]}}}}"#
            ),
        );
    }

    fn fetch(&self, folder: &std::path::Path, collection: CollectionName) -> Vec<Failure> {
        let fetch = Fetch {
            server: self.address.clone(),
            folder: folder.to_owned(),
            collections: vec![collection],
        };
        fetch.run(|_| ()).unwrap()
    }
}

fn serve(mut stream: &TcpStream, answers: &Mutex<Answers>) {
    let mut lines = BufReader::new(stream).lines();
    let Some(Ok(request)) = lines.next() else { return };
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut answers = answers.lock().unwrap();
    *answers.asked.entry(path.clone()).or_default() += 1;
    let missing = (404, "no such thing".to_owned());
    let (status, body) = answers.of_paths.get(&path).cloned().unwrap_or(missing);
    let broken = answers.broken.get_mut(&path).is_some_and(|left| {
        let breaks = *left > 0;
        *left = left.saturating_sub(1);
        breaks
    });
    let sent = if broken { &body[..body.len() / 2] } else { &body };
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    // It does not matter if the client is gone.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(sent.as_bytes()));
}

const ARFF: &str = "@relation r\n@attribute id numeric\n@attribute class {no,yes}\n@attribute x numeric\n\
    @data\n1,no,0.5\n2,no,1.5\n3,yes,2.5\n4,yes,3.5\n5,no,1.0\n6,yes,4.0\n";

fn feature_names(data: &PaperData) -> Vec<&str> {
    data.dataset().schema().features().iter().map(|feature| feature.name.as_str()).collect()
}

#[test]
fn a_suite_is_downloaded_checked_and_usable() {
    let server = Server::start();
    // Numbers arrive as strings and as numbers.
    server.answer(
        "/api/v1/json/study/99",
        200,
        r#"{"study":{"tasks":{"task_id":["11","12",13]}}}"#,
    );
    server.task(11, 3, "class");
    server.task(12, 40_927, "class");
    server.task(13, 6, "class");
    server.data_set(3, "small", ARFF, r#","ignore_attribute":["id"],"row_id_attribute":"id""#);
    server.data_set(6, "a/b c", ARFF, "");
    let folder = tempfile::tempdir().unwrap();
    assert!(server.fetch(folder.path(), CollectionName::Cc18).is_empty());
    assert_eq!(server.asked("/api/v1/json/data/40927"), 0, "CIFAR_10 is left out");

    let collection = Collection::open(folder.path()).unwrap();
    let small = collection.entry(3).unwrap();
    assert_eq!((small.name.as_str(), small.file.as_str()), ("small", "3_small.arff.gz"));
    assert_eq!(small.collections, [CollectionName::Cc18]);
    let data = collection.load(small).unwrap();
    // The target is in the middle, and the row numbers are not a feature.
    assert_eq!(feature_names(&data), ["x"]);
    assert_eq!(data.dataset().labels(), [0, 0, 1, 1, 0, 1]);
    assert_eq!(data.n_folds(), 5);
    let other = collection.entry(6).unwrap();
    assert_eq!(other.file, "6_a_b_c.arff.gz", "a name is no path");
    assert_eq!(feature_names(&collection.load(other).unwrap()), ["id", "x"]);
}

#[test]
fn a_wrong_md5_is_rejected_and_the_rest_is_downloaded() {
    let server = Server::start();
    for (id, name) in [(60, "waveform-5000"), (1496, "ringnorm"), (1507, "twonorm")] {
        server.data_set(id, name, ARFF, "");
    }
    let file = "/data/v1/download/1496/ringnorm.arff";
    server.answer(file, 200, ARFF.replace("4.0", "4.1"));
    let folder = tempfile::tempdir().unwrap();
    let failures = server.fetch(folder.path(), CollectionName::Breiman);
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].dataset, "data set 1496");
    let told = failures[0].error.to_string();
    assert!(told.contains(file) && told.contains("MD5"), "{told}");
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["1507_twonorm.arff.gz", "60_waveform-5000.arff.gz", "manifest.tsv"]);

    // A second run downloads only what failed.
    server.answer(file, 200, ARFF);
    assert!(server.fetch(folder.path(), CollectionName::Breiman).is_empty());
    assert_eq!(server.asked("/data/v1/download/60/waveform-5000.arff"), 1);
    assert_eq!(server.asked(file), 2);
    let collection = Collection::open(folder.path()).unwrap();
    assert_eq!(collection.entries().len(), 3);
    assert_eq!(collection.entry(1496).unwrap().bayes_error, Some(0.017));
}

#[test]
fn an_interrupted_download_is_retried() {
    let server = Server::start();
    for (id, name) in [(60, "waveform-5000"), (1496, "ringnorm"), (1507, "twonorm")] {
        server.data_set(id, name, ARFF, "");
    }
    server.break_off("/data/v1/download/60/waveform-5000.arff", 1);
    let folder = tempfile::tempdir().unwrap();
    let failures = server.fetch(folder.path(), CollectionName::Breiman);
    assert!(failures.is_empty(), "{failures:?}");
    assert_eq!(server.asked("/data/v1/download/60/waveform-5000.arff"), 2);
}

#[test]
fn permanent_failures_are_not_retried() {
    let server = Server::start();
    let fetch = |folder: &str| {
        Fetch {
            server: server.address.clone(),
            folder: folder.into(),
            collections: vec![CollectionName::Cc18],
        }
        .run(|_| ())
    };
    let folder = tempfile::tempdir().unwrap();
    let error = fetch(folder.path().to_str().unwrap()).unwrap_err().to_string();
    assert!(error.contains("/api/v1/json/study/99") && error.contains("404"), "{error}");
    assert_eq!(server.asked("/api/v1/json/study/99"), 1, "404 will not change");
    // A folder filled by hand is left alone.
    fs::write(folder.path().join("manifest.tsv"), "openml_id\tname\n").unwrap();
    let error = fetch(folder.path().to_str().unwrap()).unwrap_err().to_string();
    assert!(error.contains("was not written by a download"), "{error}");
}
