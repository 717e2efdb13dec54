//! Bytes that can be read once, and peeked at before.

use std::fmt;
use std::io::{self, Cursor, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
