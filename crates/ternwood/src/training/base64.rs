//! Bytes as text: base64 with padding (RFC 4648). Every byte string has exactly one text.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of some bytes.
pub(super) fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let is_padding = place > chunk.len();
            let letter = ALPHABET[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if is_padding { '=' } else { letter.into() });
        }
    }
    text
}

/// The bytes of a text; `None` if [`encoded`] never writes it.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    let (chunks, []) = text.as_bytes().as_chunks::<4>() else { return None };
    let mut bytes = Vec::with_capacity(chunks.len() * 3);
    for (index, chunk) in chunks.iter().enumerate() {
        let letters = match chunk {
            [_, _, b'=', b'='] => 2,
            [_, _, _, b'='] => 3,
            _ => 4,
        };
        if letters < 4 && index + 1 < chunks.len() {
            return None;
        }
        let mut bits = 0;
        for &letter in &chunk[..letters] {
            bits = bits << 6 | value(letter)?;
        }
        bits <<= 6 * (4 - letters);
        let [_, of_chunk @ ..] = u32::to_be_bytes(bits);
        let (kept, rest) = of_chunk.split_at(letters - 1);
        if rest.iter().any(|&byte| byte != 0) {
            return None;
        }
        bytes.extend_from_slice(kept);
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u32> {
    Some(u32::from(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_examples_of_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
            assert_eq!(encoded(bytes.as_bytes()), text);
            assert_eq!(decoded(text).as_deref(), Some(bytes.as_bytes()));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zg== ", "Zm-v", "Zm\nv"]
        {
            assert_eq!(decoded(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn bytes_survive(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(decoded(&encoded(&bytes)), Some(bytes));
        }

        #[test]
        fn a_text_that_is_read_is_written_again(text in "[A-Za-z0-9+/=]{0,12}") {
            if let Some(bytes) = decoded(&text) {
                prop_assert_eq!(encoded(&bytes), text);
            }
        }
    }
}
