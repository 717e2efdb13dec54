//! Amounts of memory, as people write them.

/// Reads "2GB", "512 MiB" or "1000000": powers of 1024 with an i, of 1000 without.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: f64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err("an amount such as 2GB or 512MiB".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "an amount such as 2GB or 512MiB".to_owned())?;
    let bytes = number * factor;
    if bytes < 1e5 { Err("at least 100KB".to_owned()) } else { Ok(bytes as u64) }
}

/// "2.4 GB".
pub(crate) fn shown(bytes: u64) -> String {
    let bytes = bytes as f64;
    let (number, unit) = match bytes {
        _ if bytes >= 1e9 => (bytes / 1e9, "GB"),
        _ if bytes >= 1e6 => (bytes / 1e6, "MB"),
        _ => (bytes / 1e3, "KB"),
    };
    if number < 10.0 { format!("{number:.1} {unit}") } else { format!("{number:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_shown() {
        assert_eq!(parse("2GB"), Ok(2_000_000_000));
        assert_eq!(parse("1.5 GiB"), Ok(3 << 29));
        assert_eq!(parse("250000"), Ok(250_000));
        assert!(parse("2 boxes").is_err() && parse("GB").is_err() && parse("10").is_err());
        assert_eq!(shown(2_450_000_000), "2.5 GB");
        assert_eq!(shown(120_400_000), "120 MB");
    }
}
