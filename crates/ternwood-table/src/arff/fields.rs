//! Splits a line of ARFF into fields: quotes, escapes, comments.

use std::borrow::Cow;

/// One field of a line.
#[derive(Debug, PartialEq)]
pub(super) enum Field<'a> {
    /// Unquoted and trimmed. `?` means missing.
    Bare(&'a [u8]),
    /// Quoted, with escapes resolved. `'?'` is a question mark.
    Quoted(Cow<'a, [u8]>),
}

impl Field<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bare(bytes) => bytes,
            Self::Quoted(bytes) => bytes,
        }
    }

    #[inline]
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Bare(b"?" | b""))
    }
}

/// The separator between two fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// A comma, with optional white space around it.
    Comma,
    /// White space only.
    Blank,
}

/// An error in a line. The caller adds the place.
pub(super) type Problem = &'static str;

/// Reads a line from left to right.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { rest: line.trim_ascii() }
    }

    /// The rest of the line, without leading white space. Empty before a comment.
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        // A shortcut for most fields: this runs before every one of them.
        if self.rest.first().is_some_and(u8::is_ascii_digit) {
            return self.rest;
        }
        let rest = self.rest.trim_ascii_start();
        if rest.starts_with(b"%") { &[] } else { rest }
    }

    /// The number of bytes to the end of the line.
    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Whether the rest is empty or a comment.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.rest().is_empty()
    }

    /// Skips white space and then `byte`. If another byte is next, returns false and skips nothing.
    pub(super) fn skip(&mut self, byte: u8) -> bool {
        let rest = self.rest.trim_ascii_start();
        let found = rest.first() == Some(&byte);
        if found {
            self.rest = &rest[1..];
        }
        found
    }

    /// A quoted text, or a word up to white space or one of `ends`.
    pub(super) fn word(&mut self, ends: &[u8]) -> Result<Field<'a>, Problem> {
        let rest = self.rest.trim_ascii_start();
        if let Some(&quote @ (b'\'' | b'"')) = rest.first() {
            self.rest = &rest[1..];
            return self.quoted(quote);
        }
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || ends.contains(byte);
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        self.rest = &rest[end..];
        Ok(Field::Bare(&rest[..end]))
    }

    /// Reads a field and the separator after it, if any. `close` also ends a field and is not
    /// consumed.
    #[inline]
    pub(super) fn field(
        &mut self,
        separator: Separator,
        close: Option<u8>,
    ) -> Result<Field<'a>, Problem> {
        if separator == Separator::Blank {
            return self.word(close.as_slice());
        }
        while let [b' ' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
        let field = match self.rest.first() {
            Some(&quote @ (b'\'' | b'"')) => {
                self.rest = &self.rest[1..];
                self.quoted(quote)?
            }
            _ => self.bare(close),
        };
        match self.rest.first() {
            Some(b',') => self.rest = &self.rest[1..],
            None => {}
            Some(_) if self.skip(b',') || self.is_done() => {}
            Some(_) => {
                let rest = self.rest.trim_ascii_start();
                self.rest = rest;
                if close.is_none() || rest.first() != close.as_ref() {
                    return Err("text after a closing quote; expected a comma");
                }
            }
        }
        Ok(field)
    }

    /// Reads up to a comma, `close`, a comment or the end.
    #[inline]
    fn bare(&mut self, close: Option<u8>) -> Field<'a> {
        let rest = self.rest;
        let mut end = 0;
        while end < rest.len() {
            let byte = rest[end];
            if byte == b',' || Some(byte) == close {
                break;
            }
            if byte == b'%' && end > 0 && rest[end - 1].is_ascii_whitespace() {
                break;
            }
            end += 1;
        }
        self.rest = &rest[end..];
        Field::Bare(rest[..end].trim_ascii_end())
    }

    /// Reads up to the closing quote. The opening one is already consumed.
    fn quoted(&mut self, quote: u8) -> Result<Field<'a>, Problem> {
        let text = self.rest;
        let stop = text.iter().position(|&byte| byte == quote || byte == b'\\');
        let Some(stop) = stop else { return Err("a quote is not closed") };
        if text[stop] == quote {
            self.rest = &text[stop + 1..];
            return Ok(Field::Quoted(Cow::Borrowed(&text[..stop])));
        }
        let mut resolved = text[..stop].to_vec();
        let mut i = stop;
        while i < text.len() {
            match text[i] {
                byte if byte == quote => {
                    self.rest = &text[i + 1..];
                    return Ok(Field::Quoted(Cow::Owned(resolved)));
                }
                b'\\' => i += escape(&text[i..], &mut resolved),
                byte => {
                    resolved.push(byte);
                    i += 1;
                }
            }
        }
        Err("a quote is not closed")
    }
}

/// Resolves the escape at the start of `text`. Returns its length in bytes.
fn escape(text: &[u8], resolved: &mut Vec<u8>) -> usize {
    let Some(&letter) = text.get(1) else { return 1 };
    match letter {
        b'n' => resolved.push(b'\n'),
        b'r' => resolved.push(b'\r'),
        b't' => resolved.push(b'\t'),
        b'u' => {
            let code = text.get(2..6).and_then(|hex| std::str::from_utf8(hex).ok());
            let code = code.and_then(|hex| u32::from_str_radix(hex, 16).ok());
            if let Some(c) = code.and_then(char::from_u32) {
                resolved.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return 6;
            }
            resolved.push(b'u');
        }
        other => resolved.push(other),
    }
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Result<Vec<String>, Problem> {
        let mut cursor = Cursor::new(line.as_bytes());
        let mut fields = Vec::new();
        while !cursor.is_done() {
            let field = cursor.field(Separator::Comma, None)?;
            fields.push(String::from_utf8(field.bytes().to_vec()).unwrap());
        }
        Ok(fields)
    }

    #[test]
    fn commas_quotes_and_escapes() {
        assert_eq!(fields("1, two words ,3").unwrap(), ["1", "two words", "3"]);
        assert_eq!(fields("'a,b' , \"c'd\",e").unwrap(), ["a,b", "c'd", "e"]);
        assert_eq!(fields(r"'\'c-CS\'', 'a\\b','x\ty'").unwrap(), ["'c-CS'", r"a\b", "x\ty"]);
        assert_eq!(fields(r"'caf\u00e9','\uZZ'").unwrap(), ["café", "uZZ"]);
        assert_eq!(fields("it's,5\"").unwrap(), ["it's", "5\""]);
        assert_eq!(fields("a,,b").unwrap(), ["a", "", "b"]);
    }

    #[test]
    fn comments_start_only_after_white_space() {
        assert_eq!(fields("1,a % note, no more").unwrap(), ["1", "a"]);
        assert_eq!(fields("50%,'x' % y").unwrap(), ["50%", "x"]);
    }

    #[test]
    fn malformed_quotes_are_refused() {
        assert!(fields("'a,b").is_err());
        assert!(fields(r"'a\").is_err());
        assert!(fields("'a'b,c").is_err());
    }

    #[test]
    fn a_quoted_question_mark_is_not_missing() {
        let mut cursor = Cursor::new(b"?,'?'");
        assert!(cursor.field(Separator::Comma, None).unwrap().is_missing());
        assert!(!cursor.field(Separator::Comma, None).unwrap().is_missing());
    }
}
