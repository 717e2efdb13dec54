//! Whether a forest will fit in memory.
//!
//! The trees of a forest are about equally large, so the first one tells how much all of them will need. It alone is
//! judged: which forests are refused does not depend on the number of threads. Free memory is what Linux reports, or
//! less where a container limits it.

use crate::error::{Error, ErrorKind, Result};
use crate::tree::Tree;
use std::path::Path;
use std::sync::OnceLock;

/// The bytes that programs can still get, where the system tells it (Linux): the memory that is available, or what
/// the control groups of this process (version 1 or 2) leave of their limits, whichever is less.
#[must_use]
pub fn free_memory() -> Option<u64> {
    free(|path| std::fs::read_to_string(path).ok())
}

/// The same, as told by files.
fn free(read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let of_machine = available(&read(Path::new("/proc/meminfo"))?)?;
    let of_groups = read(Path::new("/proc/self/cgroup")).and_then(|groups| left(&groups, &read));
    Some(of_groups.map_or(of_machine, |left| left.min(of_machine)))
}

/// The bytes that programs can still get, as `/proc/meminfo` tells it.
fn available(meminfo: &str) -> Option<u64> {
    let rest = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = rest.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The files of a version of control groups.
struct Files {
    root: &'static str,
    limit: &'static str,
    used: &'static str,
    /// The field of `memory.stat` with the bytes of files in memory that can be dropped at any time.
    droppable: &'static str,
}

const VERSION_1: Files = Files {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    droppable: "total_inactive_file ",
};

const VERSION_2: Files = Files {
    root: "/sys/fs/cgroup",
    limit: "memory.max",
    used: "memory.current",
    droppable: "inactive_file ",
};

/// What control groups leave, given `/proc/self/cgroup`; `None` without a limit.
fn left(groups: &str, read: &impl Fn(&Path) -> Option<String>) -> Option<u64> {
    // A line is "number:controllers:path"; version 2 names no controllers.
    let lines = groups.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
    let of_group = lines.filter_map(|(controllers, path)| {
        let files = match controllers {
            "" => VERSION_2,
            _ if controllers.split(',').any(|name| name == "memory") => VERSION_1,
            _ => return None,
        };
        // Every group above limits this one too. In a container, the path may be that of the host, and the group of the
        // container is the root.
        let path = Path::new(path.trim_start_matches('/'));
        path.ancestors()
            .filter_map(|path| files.left(&Path::new(files.root).join(path), read))
            .min()
    });
    of_group.min()
}

impl Files {
    /// What the limit of a group leaves; `None` without a limit.
    fn left(&self, group: &Path, read: &impl Fn(&Path) -> Option<String>) -> Option<u64> {
        let number = |name: &str| read(&group.join(name))?.trim().parse::<u64>().ok();
        // Without a limit, version 2 says "max", and version 1 a number beyond any memory.
        let (limit, used) = (number(self.limit)?, number(self.used)?);
        let stat = read(&group.join("memory.stat")).unwrap_or_default();
        let droppable = stat.lines().find_map(|line| line.strip_prefix(self.droppable));
        let droppable: u64 = droppable.and_then(|bytes| bytes.trim().parse().ok()).unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(droppable)))
    }
}

/// The memory that a forest may need where the system does not tell how much is free: 64 GiB.
const MEMORY_LIMIT: u64 = 64 << 30;

/// The memory that a forest may need, unless something else is said: half of what is free. The other half is
/// for the file that is made of it.
pub(crate) fn memory_limit() -> u64 {
    free_memory().map_or(MEMORY_LIMIT, |bytes| bytes / 2)
}

/// Bytes of a node once more, as it is laid out for walking through it.
const WALKED: usize = 24;

/// Watches over the memory of a forest that is being grown.
pub(super) struct Size {
    n_trees: u32,
    n_rows: usize,
    limit: u64,
    refused: OnceLock<Error>,
}

impl Size {
    pub(super) fn new(n_trees: u32, n_rows: usize, limit: u64) -> Self {
        Self { n_trees, n_rows, limit, refused: OnceLock::new() }
    }

    /// Returns an error once the forest is known to be too large.
    pub(super) fn check(&self) -> Result<()> {
        self.refused.get().map_or(Ok(()), |refused| Err(refused.clone()))
    }

    /// Judges the forest by its first tree; passes any other.
    pub(super) fn judge(&self, number: u32, tree: &Tree) -> Result<()> {
        if number > 0 {
            return Ok(());
        }
        // A tree, the same for walking, and a bit for every row that it has or has not seen.
        let of_tree = tree.n_bytes() + WALKED * tree.n_nodes() + self.n_rows.div_ceil(8);
        let needed = u64::from(self.n_trees).saturating_mul(of_tree as u64);
        if needed <= self.limit {
            return Ok(());
        }
        let (trees, nodes, limit) = (self.n_trees, tree.n_nodes(), self.limit);
        let error = ErrorKind::ForestTooLarge { trees, nodes, needed, limit };
        Err(self.refused.get_or_init(|| error.into()).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: &str =
        "MemTotal:       24689764 kB\nMemFree:  100 kB\nMemAvailable:   23068672 kB\n";

    /// What is free where these files say this.
    fn free_of(files: &[(&str, &str)]) -> Option<u64> {
        free(|path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| (*text).to_owned())
        })
    }

    #[test]
    fn free_memory_is_what_linux_says() {
        assert_eq!(free_of(&[("/proc/meminfo", MEMINFO)]), Some(22 << 30));
        assert_eq!(free_of(&[("/proc/meminfo", "MemAvailable: many kB")]), None);
        assert_eq!(free_of(&[]), None);
    }

    #[test]
    fn a_container_of_version_2_has_what_its_limit_leaves() {
        let of = |max, group| {
            free_of(&[
                ("/proc/meminfo", MEMINFO),
                ("/proc/self/cgroup", group),
                ("/sys/fs/cgroup/memory.max", max),
                ("/sys/fs/cgroup/memory.current", "700\n"),
                ("/sys/fs/cgroup/memory.stat", "anon 500\ninactive_file 150\nactive_file 50\n"),
            ])
        };
        assert_eq!(of("1000\n", "0::/\n"), Some(1000 - (700 - 150)));
        // The path of the host, of which the container sees nothing.
        assert_eq!(of("1000\n", "0::/kubepods/pod7/crio-4f\n"), Some(450));
        assert_eq!(of("max\n", "0::/\n"), Some(22 << 30));
        assert_eq!(of("500\n", "0::/\n"), Some(0));
        // More than the machine has.
        assert_eq!(of("99999999999999\n", "0::/\n"), Some(22 << 30));
    }

    #[test]
    fn a_group_has_no_more_than_those_above_it() {
        let files = [
            ("/proc/meminfo", MEMINFO),
            ("/proc/self/cgroup", "0::/user.slice/app.scope\n"),
            ("/sys/fs/cgroup/user.slice/memory.max", "5000"),
            ("/sys/fs/cgroup/user.slice/memory.current", "4000"),
            ("/sys/fs/cgroup/user.slice/app.scope/memory.max", "3000"),
            ("/sys/fs/cgroup/user.slice/app.scope/memory.current", "100"),
        ];
        assert_eq!(free_of(&files), Some(1000));
    }

    /// "max" in one group says nothing about those above and below it.
    #[test]
    fn a_group_without_a_limit_is_held_by_the_others() {
        let of = |root: &str, slice: &str, scope: &str| {
            free_of(&[
                ("/proc/meminfo", MEMINFO),
                ("/proc/self/cgroup", "0::/a.slice/b.scope\n"),
                ("/sys/fs/cgroup/memory.max", root),
                ("/sys/fs/cgroup/memory.current", "900"),
                ("/sys/fs/cgroup/a.slice/memory.max", slice),
                ("/sys/fs/cgroup/a.slice/memory.current", "500"),
                ("/sys/fs/cgroup/a.slice/b.scope/memory.max", scope),
                ("/sys/fs/cgroup/a.slice/b.scope/memory.current", "100"),
            ])
        };
        assert_eq!(of("max", "max", "700"), Some(600));
        assert_eq!(of("max", "800", "max"), Some(300));
        assert_eq!(of("1000", "max", "max"), Some(100));
        assert_eq!(of("max", "max", "max"), Some(22 << 30));
    }

    /// A nested group of version 1, beside the empty hierarchy of version 2 that systemd mounts with it.
    #[test]
    fn both_versions_may_be_mounted_and_groups_of_version_1_are_nested_too() {
        let of = |outer: &str, inner: &str| {
            free_of(&[
                ("/proc/meminfo", MEMINFO),
                ("/proc/self/cgroup", "9:memory:/docker/ab/job\n1:name=systemd:/x\n0::/x\n"),
                ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n"),
                ("/sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes", outer),
                ("/sys/fs/cgroup/memory/docker/ab/memory.usage_in_bytes", "700\n"),
                ("/sys/fs/cgroup/memory/docker/ab/job/memory.limit_in_bytes", inner),
                ("/sys/fs/cgroup/memory/docker/ab/job/memory.usage_in_bytes", "100\n"),
            ])
        };
        assert_eq!(of("1000\n", "9223372036854771712\n"), Some(300));
        assert_eq!(of("1000\n", "250\n"), Some(150));
        assert_eq!(of("9223372036854771712\n", "9223372036854771712\n"), Some(22 << 30));
    }

    #[test]
    fn a_container_of_version_1_has_what_its_limit_leaves() {
        let of = |limit| {
            free_of(&[
                ("/proc/meminfo", MEMINFO),
                ("/proc/self/cgroup", "11:cpu,cpuacct:/docker/ab\n4:memory:/docker/ab\n"),
                ("/sys/fs/cgroup/memory/memory.limit_in_bytes", limit),
                ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "700"),
                ("/sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n"),
            ])
        };
        assert_eq!(of("1000\n"), Some(500));
        assert_eq!(of("9223372036854771712\n"), Some(22 << 30));
    }
}
