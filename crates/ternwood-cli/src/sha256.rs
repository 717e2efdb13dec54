//! SHA-256, by which people compare files (`sha256sum`).

/// The hash of some bytes in hexadecimal digits, as FIPS 180-4 defines it.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let constants = constants();
    let mut state: [u32; 8] = std::array::from_fn(|at| fraction(PRIMES[at], f64::sqrt));
    // A 1 bit, zeros, and the length in bits: whole blocks of 64 bytes.
    let mut tail = bytes[bytes.len() / 64 * 64..].to_vec();
    tail.push(0x80);
    tail.resize((tail.len() + 8).next_multiple_of(64), 0);
    let end = tail.len() - 8;
    tail[end..].copy_from_slice(&(8 * bytes.len() as u64).to_be_bytes());
    for block in bytes.chunks_exact(64).chain(tail.chunks_exact(64)) {
        compress(&mut state, block, &constants);
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

const PRIMES: [u32; 64] = primes();

const fn primes() -> [u32; 64] {
    let (mut primes, mut found, mut candidate) = ([0; 64], 0, 2);
    while found < 64 {
        let mut at = 0;
        while at < found && candidate % primes[at] != 0 {
            at += 1;
        }
        if at == found {
            primes[found] = candidate;
            found += 1;
        }
        candidate += 1;
    }
    primes
}

/// The first 32 bits of the fractional part of a root. A double has 53 bits, of which a root of
/// these primes needs at most five before the point.
fn fraction(prime: u32, root: fn(f64) -> f64) -> u32 {
    (root(f64::from(prime)).fract() * 2f64.powi(32)) as u32
}

fn constants() -> [u32; 64] {
    std::array::from_fn(|at| fraction(PRIMES[at], f64::cbrt))
}

fn compress(state: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut words = [0u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for at in 16..64 {
        let (a, b) = (words[at - 15], words[at - 2]);
        let small = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let large = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        words[at] =
            words[at - 16].wrapping_add(small).wrapping_add(words[at - 7]).wrapping_add(large);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in words.iter().zip(constants) {
        let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let chosen = (e & f) ^ (!e & g);
        let first =
            h.wrapping_add(mixed).wrapping_add(chosen).wrapping_add(*constant).wrapping_add(*word);
        let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = mixed.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (sum, part) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *sum = sum.wrapping_add(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of NIST, and lengths around the end of a block as `sha256sum` has them.
    #[test]
    fn known_hashes() {
        for (text, hash) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(sha256(text.as_bytes()), hash);
        }
        let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(sha256(&vec![b'a'; 1_000_000]), million);
        for (length, hash) in [
            (55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"),
            (56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e"),
            (63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"),
            (64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"),
            (65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"),
            (119, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c"),
            (120, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98"),
        ] {
            assert_eq!(sha256(&vec![b'x'; length]), hash, "{length}");
        }
    }
}
