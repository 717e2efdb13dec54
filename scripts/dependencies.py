"""Lists every crate that ternwood is built from, and checks that each may be there.

`--write` puts the table into docs/dependencies.md; `--check` fails if it is not what is there, if a
licence is not among those allowed, if a crate comes from elsewhere than crates.io, if two versions of
one crate are built that nobody said why of, or if a crate we name has no reason.
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

# Crates that we name, and what for.
REASONS = {
    "anstream": "colours on terminals only",
    "anstyle": "colours",
    "anyhow": "errors of the command",
    "arrow-array": "Parquet: typed columns",
    "arrow-schema": "Parquet: their types",
    "arrow-select": "Parquet: columns that pass through, joined",
    "bytes": "Parquet from memory",
    "clap": "the command line",
    "clap_complete": "completions for shells",
    "clap_mangen": "manual pages",
    "csv": "CSV and TSV",
    "ctrlc": "tidy up after an interrupt",
    "divan": "benchmarks",
    "flate2": "gzipped tables",
    "indexmap": "categories in the order found",
    "indicatif": "progress",
    "insta": "snapshots in tests",
    "libm": "the same digits of special functions everywhere",
    "md5": "downloads arrived whole",
    "numpy": "arrays from and to Python",
    "parquet": "Parquet",
    "peak_alloc": "memory in tests",
    "proptest": "random tests",
    "pyo3": "the Python module",
    "rand_xoshiro": "random streams",
    "rayon": "threads",
    "rustix": "a terminal in tests",
    "serde": "model files",
    "serde_json": "model files",
    "snapbox": "transcripts in tests",
    "tempfile": "outputs that appear complete",
    "thiserror": "errors of the libraries",
    "trycmd": "transcripts in tests",
    "ureq": "downloads of data sets (`ternwood paper fetch`)",
}

# Crates of which two versions are built, and why.
TWICE = {
    "getrandom": "ahash and const-random, of the arrow crates, are behind tempfile",
    "r-efi": "of the versions of getrandom",
    "shlex": "trycmd (tests) is behind cc (builds zstd)",
    "similar": "insta and snapbox (tests)",
    "syn": "divan (benchmarks) and macros of arrow's dependencies are behind serde and clap",
    "windows-sys": "ring (of rustls, of ureq) is behind the others; built on Windows only",
}


def metadata():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def reached(data, roots, kinds):
    """Packages that the roots are built from, through dependencies of these kinds."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    waiting, seen = list(roots), set(roots)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            wanted = any(kind["kind"] in kinds for kind in dependency["dep_kinds"])
            if wanted and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    return seen


def is_allowed(licence):
    """Whether one of the alternatives consists of allowed licences."""
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
        "Python": [member for name, member in by_name.items() if "py" in name],
    }
    built = {part: reached(data, roots, {None, "build"}) for part, roots in parts.items()}
    everything = reached(data, members, {None, "build", "dev"})
    direct = {d["name"] for member in members for d in packages[member]["dependencies"]}
    rows, versions = [], {}
    foreign = (packages[id] for id in everything - members)
    for package in sorted(foreign, key=lambda package: (package["name"], package["version"])):
        name, version, licence = package["name"], package["version"], package["license"] or "none"
        versions.setdefault(name, []).append(version)
        if package["source"] != CRATES_IO:
            problems.append(f"{name} {version} does not come from crates.io")
        if not is_allowed(licence):
            problems.append(f"{name} {version} has the licence {licence}, which nobody allowed")
        if name in direct and name not in REASONS:
            problems.append(f"{name} has no reason in scripts/dependencies.py")
        where = [part for part, ids in built.items() if package["id"] in ids] or ["tests"]
        reason = REASONS.get(name, "") if name in direct else ""
        rows.append(f"| {name} | {version} | {licence} | {', '.join(where)} | {reason} |")
    for name, found in versions.items():
        if len(found) > 1 and name not in TWICE:
            problems.append(f"{name} is built in versions {' and '.join(found)}; say why in TWICE")
    for name in sorted(set(REASONS) - direct):
        problems.append(f"{name} has a reason, but nothing depends on it")
    for name in sorted(TWICE):
        if len(versions.get(name, [])) < 2:
            problems.append(f"{name} is in TWICE, but only one version is built")
    counts = {part: len(ids - members) for part, ids in built.items()}
    summary = ", ".join(f"{part} {count}" for part, count in counts.items())
    head = [
        f"{len(rows)} crates, those of other systems than yours included; built into: {summary}.",
        "",
        "| crate | version | licence | in | what we need it for |",
        "|---|---|---|---|---|",
    ]
    twice = [
        f"- {name} {' and '.join(versions[name])}: {why}"
        for name, why in TWICE.items()
        if name in versions
    ]
    return "\n".join([*head, *rows, "\nMore than one version:\n", *twice])


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
        problems.append("docs/dependencies.md is not what is built; `make dependencies` writes it")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
