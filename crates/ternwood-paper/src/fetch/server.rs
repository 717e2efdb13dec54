//! HTTP requests with retries.

use super::openml::complaint;
use crate::error::{Error, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::time::Duration;
use ureq::Agent;

/// An HTTP client.
pub(super) struct Server {
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
    pub(super) fn new() -> Self {
        let config = Agent::config_builder()
            .timeout_connect(Some(Duration::from_secs(20)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .user_agent(concat!("ternwood/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: config.into() }
    }

    /// Downloads a short text.
    pub(super) fn text(&self, url: &str) -> Result<String> {
        self.with_retries(url, || {
            let mut answer = self.agent.get(url).call().map_err(|error| Refusal::new(&error))?;
            answer.body_mut().read_to_string().map_err(|error| Refusal::new(&error))
        })
    }

    /// Downloads into a compressed file and returns the MD5 of the uncompressed bytes.
    pub(super) fn download(&self, url: &str, path: &Path) -> Result<String> {
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
