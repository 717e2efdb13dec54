//! Input bytes: a file, memory or a stream, gzipped or not.

use crate::error::{ErrorKind, Place, Result, io, row_too_long};
use crate::options::max_row;
use flate2::bufread::MultiGzDecoder;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const BUFFER_BYTES: usize = 1 << 17;

/// A buffered reader of any source.
pub(crate) type TextReader = Box<dyn BufRead + Send>;

/// Appends bytes until there are `wanted`. Returns false if the text ends before.
pub(crate) fn fill(text: &mut TextReader, bytes: &mut Vec<u8>, wanted: usize) -> io::Result<bool> {
    while bytes.len() < wanted {
        let read = text.fill_buf()?;
        if read.is_empty() {
            return Ok(false);
        }
        let taken = read.len().min(wanted - bytes.len());
        bytes.extend_from_slice(&read[..taken]);
        text.consume(taken);
    }
    Ok(true)
}

/// A file, bytes in memory or a stream, with a name for error messages.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    storage: Storage,
}

#[derive(Debug, Clone)]
pub(crate) enum Storage {
    File(PathBuf),
    Memory(Arc<[u8]>),
    Stream(Stream),
}

impl Source {
    /// A file. Its name is the path as given.
    pub fn file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        Self { name: path.display().to_string(), storage: Storage::File(path.to_owned()) }
    }

    /// Bytes in memory. The extension of the name gives the format, as for a file.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { name: name.into(), storage: Storage::Memory(bytes.into()) }
    }

    /// Bytes that can be read only once, from standard input or a pipe.
    ///
    /// What must be read twice is kept in memory: the first lines of a text with known column types
    /// (see [`ReadOptions::for_features`](crate::ReadOptions::for_features)), all of a text with types
    /// to infer, and all of a Parquet file, whose metadata is at its end. Reading a stream a second
    /// time is an error.
    pub fn stream(name: impl Into<String>, bytes: impl Read + Send + 'static) -> Self {
        Self { name: name.into(), storage: Storage::Stream(Stream::new(Box::new(bytes))) }
    }

    /// The name used in error messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet seeks"))]
    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Opens the stored bytes. They can be opened again.
    fn open_raw(&self) -> Result<TextReader> {
        Ok(match &self.storage {
            Storage::File(path) => {
                let file = File::open(path).map_err(|problem| io(&self.name, problem))?;
                Box::new(BufReader::with_capacity(BUFFER_BYTES, file))
            }
            Storage::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            Storage::Stream(stream) => {
                Box::new(BufReader::with_capacity(BUFFER_BYTES, stream.peek()))
            }
        })
    }

    /// Opens the stored bytes for the last time.
    pub(crate) fn take_raw(&self) -> Result<TextReader> {
        match &self.storage {
            Storage::Stream(stream) => {
                let taken = stream.take().map_err(|problem| io(&self.name, problem))?;
                Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, taken)))
            }
            _ => self.open_raw(),
        }
    }

    /// Frees the bytes that a stream has kept to be read again.
    pub(crate) fn close(&self) {
        if let Storage::Stream(stream) = &self.storage {
            // If it was taken, it keeps nothing.
            drop(stream.take());
        }
    }

    /// The number of bytes of a text, if that is known without reading it.
    pub(crate) fn text_bytes(&self) -> Option<usize> {
        match &self.storage {
            Storage::File(path) => {
                let is_zipped = path.extension().is_some_and(|ending| ending == "gz");
                let bytes = std::fs::metadata(path).ok().filter(|_| !is_zipped)?.len();
                usize::try_from(bytes).ok()
            }
            Storage::Memory(bytes) => Some(bytes.len()),
            Storage::Stream(_) => None,
        }
    }

    /// Opens the text, decompressed and without a byte-order mark. It can be opened again.
    ///
    /// # Errors
    /// The file cannot be read, or is UTF-16.
    pub(crate) fn open_text(&self) -> Result<TextReader> {
        self.text(self.open_raw()?)
    }

    /// Opens the text for the last time.
    ///
    /// # Errors
    /// As [`Source::open_text`].
    pub(crate) fn take_text(&self) -> Result<TextReader> {
        self.text(self.take_raw()?)
    }

    fn text(&self, raw: TextReader) -> Result<TextReader> {
        let (head, raw) = self.take_head(raw)?;
        let (head, text) = if head.starts_with(b"\x1f\x8b") {
            let unzipped = MultiGzDecoder::new(Cursor::new(head).chain(raw));
            self.take_head(Box::new(BufReader::with_capacity(BUFFER_BYTES, unzipped)))?
        } else {
            (head, raw)
        };
        if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
            return Err(ErrorKind::Format {
                file: self.name.clone(),
                problem: "the text is UTF-16".to_owned(),
                remedy: "convert it to UTF-8, for instance with `iconv -f UTF-16 -t UTF-8`",
            }
            .into());
        }
        let head = if head == b"\xef\xbb\xbf" { Vec::new() } else { head };
        Ok(Box::new(Cursor::new(head).chain(text)))
    }

    /// Takes the first three bytes (or fewer) off a reader.
    fn take_head(&self, mut reader: TextReader) -> Result<(Vec<u8>, TextReader)> {
        let mut head = Vec::new();
        fill(&mut reader, &mut head, 3).map_err(|problem| io(&self.name, problem))?;
        Ok((head, reader))
    }

    /// The first `limit` bytes (or fewer) as stored and as text.
    pub(crate) fn heads(&self, limit: usize) -> Result<(Vec<u8>, Vec<u8>)> {
        let head = |mut reader: TextReader| -> Result<Vec<u8>> {
            let mut head = Vec::new();
            let filled = fill(&mut reader, &mut head, limit);
            filled.map_err(|problem| io(&self.name, problem))?;
            Ok(head)
        };
        let raw = head(self.open_raw()?)?;
        if raw.starts_with(b"PAR1") {
            return Ok((raw, Vec::new()));
        }
        Ok((raw, head(self.open_text()?)?))
    }
}

impl<P: AsRef<Path>> From<P> for Source {
    fn from(path: P) -> Self {
        Self::file(path)
    }
}

/// The lines of a text, counted from 1.
pub(crate) struct Lines {
    reader: TextReader,
    file: String,
    buffer: Vec<u8>,
    number: u64,
    max_field: usize,
}

impl Lines {
    /// Lines whose fields may have `max_field` bytes.
    pub(crate) fn open(source: &Source, max_field: usize) -> Result<Self> {
        let (reader, file) = (source.take_text()?, source.name().to_owned());
        Ok(Self { reader, file, buffer: Vec::new(), number: 0, max_field })
    }

    /// Moves to the next line. Returns false at the end. Of a line that is too long, it reads only the start.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        self.buffer.clear();
        let most = max_row(self.max_field) as u64 + 1;
        let read = (&mut self.reader).take(most).read_until(b'\n', &mut self.buffer);
        if read.map_err(|problem| io(&self.file, problem))? == 0 {
            return Ok(false);
        }
        self.number += 1;
        Ok(true)
    }

    /// The trimmed line.
    pub(crate) fn line(&self) -> &[u8] {
        self.buffer.trim_ascii()
    }

    /// The number of bytes that a field may have.
    pub(crate) fn max_field(&self) -> usize {
        self.max_field
    }

    /// Refuses a line that is too long.
    pub(crate) fn check_length(&self) -> Result<()> {
        match self.buffer.len() > max_row(self.max_field) {
            true => Err(row_too_long(self.place(), self.max_field)),
            false => Ok(()),
        }
    }

    /// The line number, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The place of the line.
    pub(crate) fn place(&self) -> Place {
        Place::file(&*self.file).at_line(self.number)
    }
}

// Bytes that can be read once, and peeked at before.

/// A stream of bytes. Peeking buffers the bytes for the next reader; taking the stream consumes it.
#[derive(Clone)]
pub(crate) struct Stream(Arc<Mutex<State>>);

struct State {
    seen: Vec<u8>,
    /// `None` once taken.
    rest: Option<Box<dyn Read + Send>>,
}

impl Stream {
    pub(crate) fn new(bytes: Box<dyn Read + Send>) -> Self {
        Self(Arc::new(Mutex::new(State { seen: Vec::new(), rest: Some(bytes) })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from the first byte and leaves the stream as it was.
    pub(crate) fn peek(&self) -> Peek {
        Peek { stream: self.clone(), position: 0 }
    }

    /// Reads from the first byte. The stream cannot be read again.
    pub(crate) fn take(&self) -> io::Result<impl Read + Send + use<>> {
        let mut state = self.state();
        let rest = state.rest.take().ok_or_else(already_taken)?;
        Ok(Cursor::new(std::mem::take(&mut state.seen)).chain(rest))
    }
}

fn already_taken() -> io::Error {
    io::Error::other("a stream can be read only once; save it as a file first")
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({} bytes seen)", self.state().seen.len())
    }
}

/// A reader that leaves the stream as it was.
pub(crate) struct Peek {
    stream: Stream,
    position: usize,
}

impl Read for Peek {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let State { seen, rest } = &mut *self.stream.state();
        let rest = rest.as_mut().ok_or_else(already_taken)?;
        let read = match &seen[self.position..] {
            [] => {
                let read = rest.read(buffer)?;
                seen.extend_from_slice(&buffer[..read]);
                read
            }
            mut known => known.read(buffer)?,
        };
        self.position += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peeking_consumes_nothing() {
        let stream = Stream::new(Box::new(&b"abcdef"[..]));
        let mut start = [0; 3];
        stream.peek().read_exact(&mut start).unwrap();
        assert_eq!(&start, b"abc");
        let mut text = String::new();
        stream.peek().take(4).read_to_string(&mut text).unwrap();
        assert_eq!(text, "abcd");
        let mut all = String::new();
        stream.take().unwrap().read_to_string(&mut all).unwrap();
        assert_eq!(all, "abcdef");
        assert!(stream.take().is_err());
        assert!(stream.peek().read(&mut start).is_err());
    }

    #[test]
    fn only_peeked_bytes_are_buffered() {
        let stream = Stream::new(Box::new(io::repeat(b'x')));
        io::copy(&mut stream.peek().take(1000), &mut io::sink()).unwrap();
        let kept = stream.state().seen.len();
        assert!((1000..10_000).contains(&kept), "{kept}");
        io::copy(&mut stream.take().unwrap().take(1 << 20), &mut io::sink()).unwrap();
        assert_eq!(stream.state().seen.capacity(), 0);
    }
}
