"""Lists every crate that ternwood is built from, and checks that each is allowed.

`--write` writes the table into docs/dependencies.md. `--check` fails if the table is out of date, if a
licence is not on the list, if a crate does not come from crates.io, if several versions of a crate are
built and SEVERAL_VERSIONS does not say why, or if a direct dependency has no entry in REASONS.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "dependencies.md"
START, END = "<!-- crates: start -->", "<!-- crates: end -->"

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"

LICENCES = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause",
    "BSL-1.0", "CC0-1.0", "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "Unicode-3.0", "Unlicense", "Zlib",
}

# Direct dependencies, and what we need them for.
REASONS = {
    "anstream": "colours only on terminals",
    "anstyle": "colours",
    "anyhow": "errors of the command",
    "arrow-array": "columns of Parquet files and of data frames; takes frames from Python",
    "arrow-schema": "column types of Parquet files and of data frames",
    "arrow-select": "Parquet: joins chunks of columns that are copied unchanged",
    "bytes": "Parquet from memory",
    "clap": "the command line",
    "clap_complete": "shell completions",
    "clap_mangen": "manual pages",
    "csv": "results of experiments; in tests, a second CSV reader to compare with",
    "ctrlc": "cleans up after Ctrl-C on Windows",
    "divan": "benchmarks",
    "flate2": "gzipped tables",
    "foldhash": "fast lookup of categories while reading",
    "indexmap": "categories in order of appearance",
    "indicatif": "progress bars",
    "insta": "snapshots in tests",
    "libm": "special functions with the same digits on every platform",
    "memchr": "finds delimiters and quotes in text files",
    "md5": "checksums of downloads",
    "nix": "signals on Unix",
    "numpy": "numpy arrays",
    "parquet": "Parquet",
    "peak_alloc": "peak memory in tests",
    "postcard": "compact messages between partitions",
    "proptest": "random tests",
    "pyo3": "the Python extension module",
    "rand_xoshiro": "random number generators",
    "rayon": "threads",
    "rustix": "output files that have no name until they are complete, on Linux; pseudo-terminals in tests",
    "safetensors": "model files of forests",
    "serde": "model files",
    "serde_json": "model files",
    "sha2": "checksums of model files and of files named in reports",
    "snapbox": "transcripts in tests",
    "strsim": "distances between names, for suggestions after a typo",
    "tempfile": "temporary files",
    "thiserror": "errors of the libraries",
    "trycmd": "transcripts in tests",
    "unicode-width": "alignment of columns in every script",
    "ureq": "downloads of data sets (`ternwood-paper fetch`)",
}

# Crates built in several versions, and why.
SEVERAL_VERSIONS = {
    "embedded-io": "postcard names both for features that we do not use; neither is built",
    "getrandom": "ahash and const-random, used by the arrow crates, need an older one than tempfile",
    "hashbrown": "safetensors needs an older one than indexmap and the arrow crates",
    "r-efi": "the newer versions of getrandom need different ones",
    "shlex": "trycmd (tests) needs an older one than cc (builds zstd)",
    "similar": "insta and snapbox (tests) need different ones",
    "syn": "divan (benchmarks) and macros of arrow's dependencies need an older one than serde and clap",
    "windows-sys": "ring (through ureq and rustls, in ternwood-paper) needs an older one than the others; Windows only",
}


def metadata():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def reached(data, roots, kinds):
    """All packages that the roots depend on, through dependencies of these kinds."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    pending, seen = list(roots), set(roots)
    while pending:
        for dependency in nodes[pending.pop()]["deps"]:
            wanted = any(kind["kind"] in kinds for kind in dependency["dep_kinds"])
            if wanted and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                pending.append(dependency["pkg"])
    return seen


def built_without_optional(data, package):
    """All packages that one is built from with its own features, on all platforms."""
    command = ["cargo", "tree", "--locked", "--package", package, "--edges", "normal,build"]
    command += ["--target", "all", "--prefix", "none", "--format", "{p}"]
    lines = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = {tuple(line.split()[:2]) for line in lines.splitlines() if line}
    packages = data["packages"]
    return {it["id"] for it in packages if (it["name"], f"v{it['version']}") in found}


def is_allowed(licence):
    """True if one of the alternatives has only allowed licences."""
    alternatives = licence.replace("/", " OR ").replace("(", "").replace(")", "").split(" OR ")
    return any(
        all(part.strip() in LICENCES for part in alternative.split(" AND "))
        for alternative in alternatives
    )


def table(data, problems):
    members = set(data["workspace_members"])
    packages = {package["id"]: package for package in data["packages"]}
    by_name = {packages[member]["name"]: member for member in members}
    parts = {
        "library": [by_name["ternwood"]],
        "command": [by_name["ternwood-cli"]],
    }
    built = {part: reached(data, roots, {None, "build"}) for part, roots in parts.items()}
    # The command can do with Parquet or without; the Python module has none.
    built["Python"] = built_without_optional(data, "ternwood-python")
    everything = reached(data, members, {None, "build", "dev"})
    direct = {d["name"] for member in members for d in packages[member]["dependencies"]}
    rows, indirect, versions = [], {}, {}
    foreign = (packages[id] for id in everything - members)
    for package in sorted(foreign, key=lambda package: (package["name"], package["version"])):
        name, version, licence = package["name"], package["version"], package["license"] or "none"
        versions.setdefault(name, []).append(version)
        if package["source"] != CRATES_IO:
            problems.append(f"{name} {version} does not come from crates.io")
        if not is_allowed(licence):
            problems.append(f"{name} {version} has the licence {licence}, which is not in LICENCES")
        if name in direct and name not in REASONS:
            problems.append(f"{name} is a direct dependency without an entry in REASONS")
        if name in direct:
            where = [part for part, ids in built.items() if package["id"] in ids] or ["development"]
            rows.append(f"| {name} | {version} | {licence} | {', '.join(where)} | {REASONS.get(name, '')} |")
        else:
            indirect[licence] = indirect.get(licence, 0) + 1
    for name, found in versions.items():
        if len(found) > 1 and name not in SEVERAL_VERSIONS:
            problems.append(
                f"{name} is built in versions {' and '.join(found)}; say why in SEVERAL_VERSIONS"
            )
    for name in sorted(set(REASONS) - direct):
        problems.append(f"{name} is in REASONS, but is not a direct dependency")
    for name in sorted(SEVERAL_VERSIONS):
        if len(versions.get(name, [])) < 2:
            problems.append(f"{name} is in SEVERAL_VERSIONS, but only one version is built")
    counts = {part: len(ids - members) for part, ids in built.items()}
    summary = ", ".join(f"{part} {count}" for part, count in counts.items())
    others = sum(indirect.values())
    head = [
        f"{len(rows)} direct and {others} indirect dependencies on all platforms together. By product: {summary}.",
        "",
        "| crate | version | licence | built into | purpose |",
        "|---|---|---|---|---|",
    ]
    by_licence = [f"- {licence}: {count}" for licence, count in sorted(indirect.items())]
    several = [
        f"- {name} {' and '.join(versions[name])}: {why}"
        for name, why in SEVERAL_VERSIONS.items()
        if name in versions
    ]
    rest = ["\nIndirect dependencies (`cargo tree` lists them), by licence:\n", *by_licence, "\nCrates in more than one version:\n", *several]
    return "\n".join([*head, *rows, *rest])


def main():
    problems = []
    text = table(metadata(), problems)
    page = PAGE.read_text()
    before, rest = page.split(START)
    _, after = rest.split(END)
    wanted = f"{before}{START}\n{text}\n{END}{after}"
    if "--write" in sys.argv:
        PAGE.write_text(wanted)
    elif page != wanted:
        problems.append("docs/dependencies.md is out of date; `make dependencies` rewrites it")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
