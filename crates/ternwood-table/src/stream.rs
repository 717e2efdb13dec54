//! Bytes that come once, and may be looked at before they are taken.

use std::fmt;
use std::io::{self, Cursor, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A stream of bytes. Whoever looks at it leaves what was seen for the next one; whoever takes
/// it has all of it, and leaves nothing.
#[derive(Clone)]
pub(crate) struct Stream(Arc<Mutex<State>>);

struct State {
    seen: Vec<u8>,
    /// `None` once the stream is taken.
    rest: Option<Box<dyn Read + Send>>,
}

impl Stream {
    pub(crate) fn new(bytes: Box<dyn Read + Send>) -> Self {
        Self(Arc::new(Mutex::new(State { seen: Vec::new(), rest: Some(bytes) })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes from the first one on, for now.
    pub(crate) fn look(&self) -> Look {
        Look { stream: self.clone(), position: 0 }
    }

    /// The bytes from the first one on; nobody else can read them any more.
    pub(crate) fn take(&self) -> io::Result<impl Read + Send + use<>> {
        let mut state = self.state();
        let rest = state.rest.take().ok_or_else(taken)?;
        Ok(Cursor::new(std::mem::take(&mut state.seen)).chain(rest))
    }
}

fn taken() -> io::Error {
    io::Error::other("a stream can be read only once; save it as a file first")
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({} bytes seen)", self.state().seen.len())
    }
}

/// Reads a stream and leaves it as it was.
pub(crate) struct Look {
    stream: Stream,
    position: usize,
}

impl Read for Look {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let State { seen, rest } = &mut *self.stream.state();
        let rest = rest.as_mut().ok_or_else(taken)?;
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
    fn what_was_looked_at_is_still_there() {
        let stream = Stream::new(Box::new(&b"abcdef"[..]));
        let mut start = [0; 3];
        stream.look().read_exact(&mut start).unwrap();
        assert_eq!(&start, b"abc");
        let mut text = String::new();
        stream.look().take(4).read_to_string(&mut text).unwrap();
        assert_eq!(text, "abcd");
        let mut all = String::new();
        stream.take().unwrap().read_to_string(&mut all).unwrap();
        assert_eq!(all, "abcdef");
        assert!(stream.take().is_err());
        assert!(stream.look().read(&mut start).is_err());
    }

    #[test]
    fn only_what_was_looked_at_is_kept() {
        let stream = Stream::new(Box::new(io::repeat(b'x')));
        io::copy(&mut stream.look().take(1000), &mut io::sink()).unwrap();
        let kept = stream.state().seen.len();
        assert!((1000..10_000).contains(&kept), "{kept}");
        io::copy(&mut stream.take().unwrap().take(1 << 20), &mut io::sink()).unwrap();
        assert_eq!(stream.state().seen.capacity(), 0);
    }
}
