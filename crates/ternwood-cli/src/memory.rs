//! How much memory there is.

use ternwood::Learner;

/// The learner, with half of the free memory as the limit of a forest, where the system tells how much is free
/// (Linux). The other half is for the file that is made of it.
pub(crate) fn limited(learner: Learner) -> Learner {
    match free() {
        Some(bytes) => learner.with_memory_limit(bytes / 2),
        None => learner,
    }
}

/// The bytes that programs can still get, where the system tells it (Linux).
pub(crate) fn free() -> Option<u64> {
    available(&std::fs::read_to_string("/proc/meminfo").unwrap_or_default())
}

/// The bytes that programs can still get, as Linux tells it.
fn available(meminfo: &str) -> Option<u64> {
    let rest = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = rest.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_what_linux_says() {
        let meminfo =
            "MemTotal:       24689764 kB\nMemFree:  100 kB\nMemAvailable:   23068672 kB\n";
        assert_eq!(available(meminfo), Some(22 << 30));
        assert_eq!(available("MemAvailable: many kB"), None);
        assert_eq!(available(""), None);
    }
}
