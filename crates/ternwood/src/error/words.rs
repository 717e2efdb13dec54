//! Words of messages.

/// A share near 0 or 1, without digits that nobody reads.
pub(super) fn short(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

pub(super) fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

pub(super) fn at_most(count: usize) -> String {
    if count == 0 { "none".to_owned() } else { format!("at most {count}") }
}

pub(super) fn carried(best: Option<f64>) -> String {
    best.map_or_else(String::new, |best| format!(" (these rows can carry {best})"))
}

/// 0.98 as "about 98 %"; 1 as "all".
pub(crate) fn about(share: f64) -> String {
    match (100.0 * share).round() {
        100.0.. => "all".to_owned(),
        percent @ 1.0.. => format!("about {percent} %"),
        _ => format!("about {} %", (1e4 * share).ceil() / 100.0),
    }
}

/// A probability to two digits.
pub(super) fn small(p: f64) -> String {
    if p < 1e-99 { "less than 1e-99".to_owned() } else { format!("{p:.0e}") }
}

/// Bytes as people say them.
pub(super) fn memory(bytes: u64) -> String {
    match bytes as f64 {
        bytes @ 1e8.. => format!("{:.1} GB", bytes / 1e9),
        bytes @ 1e5.. => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.1} kB", bytes / 1e3),
    }
}

/// How a model file differs from the one that was written.
pub(super) fn not_as_written(stored: Option<&str>, computed: &str) -> String {
    match stored {
        Some(stored) => format!(
            "it was damaged or edited: it states the SHA-256 {stored}, and its content has {computed}; \
             restore the file, or accept the edit"
        ),
        None => format!(
            "it does not state the SHA-256 of its content, so nobody can tell whether it was damaged \
             (the content has {computed}); restore the file, or accept the edit"
        ),
    }
}

/// How given rows differ from those of training.
pub(super) fn difference(training: u64, given: u64, new: u64) -> String {
    let parts = [
        (training != given).then(|| format!("they are {given}")),
        (new > 0).then(|| format!("at least {new} of them were not among those")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "at least one of them differs".to_owned() } else { parts.join(", ") }
}
