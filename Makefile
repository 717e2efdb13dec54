# `make help` lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Windows has other names for Python and for the programs of a virtual environment.
ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := Scripts
EXTENSION := python/src/ternwood/_ternwood.pyd
else
PYTHON ?= python3
BIN := bin
EXTENSION := python/src/ternwood/_ternwood.abi3.so
endif
# Text files are UTF-8 everywhere.
export PYTHONUTF8 := 1

VENV := .venv
VENV_OLDEST := .venv-oldest
VENV_BENCH := .venv-bench
VENV_BROWSER := .venv-browser
VENV_SPARK := .venv-spark
VENV_MODELS := .venv-models
VENV_DOCS := .venv-docs
# The site, and its sources put together.
SITE := target/site
SITE_SOURCES := target/site-sources
# The machine of a benchmark: part of the name of its results folder.
MACHINE ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count())')-cores
# The data sets of the paper: `cargo run --release -p ternwood-paper -- fetch --out DIR` downloads them.
DATA ?= ../shared/openml
# The sources of the extension module.
RUST_OF_EXTENSION := Cargo.toml Cargo.lock .cargo/config.toml python/pyproject.toml \
	$(shell find python/rust crates/ternwood crates/ternwood-figures crates/ternwood-page/src crates/ternwood-page/assets crates/ternwood-table \
	-name '*.rs' -o -name Cargo.toml -o -name '*.js' -o -name '*.css' 2>/dev/null)

SECONDS ?= 60
# `make soak` multiplies the number of random cases by this.
SOAK ?= 20

# Every target without a file of its name.
.PHONY: $(shell grep -oE '^[a-z-]+:' $(firstword $(MAKEFILE_LIST)) | tr -d ':')

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-20s %s\n", $$1, $$2}'

build: build-rust build-python ## build everything; the Python package into .venv

build-rust:
	cargo build --workspace --all-targets

build-python: $(VENV)/ternwood-installed

# The demo needs no Parquet, and the command builds several times faster without it.
demo: ## build the command and run its tour; pictures go to demo-out/
	cargo run --release --package ternwood-cli --no-default-features -- demo --out demo-out --force

man: ## write the manual pages to man/
	cargo run --release --package ternwood-cli --no-default-features -- man man --force

test: test-rust test-python ## build and run all tests

test-rust: ## run the tests of the Rust crates
	cargo test --workspace

test-python: build-python ## run the tests of the Python package
	cd python && SCIPY_ARRAY_API=1 ../$(VENV)/$(BIN)/python -m pytest

test-sklearn-oldest: $(VENV_OLDEST)/ternwood-installed ## run the Python tests with the oldest supported scikit-learn
	cd python && ../$(VENV_OLDEST)/$(BIN)/python -m pytest

# A server of its own, from the programs of Debian's package; without them, the tests are reported as skipped.
test-postgres: build-python $(VENV)/postgres-driver ## ask PostgreSQL for the answers of random models
	cd python && TERNWOOD_POSTGRES=1 ../$(VENV)/$(BIN)/python -m pytest tests/test_postgres.py

# Pages in a real browser. Without one, the tests are reported as skipped, with the reason.
test-browser: $(VENV_BROWSER)/tools ## open pages in chromium: answers, requests, accessibility
	cargo build --package ternwood-cli --no-default-features
	cargo build --package ternwood-page --example browser_cases
	cd crates/ternwood-page/browser && ../../../$(VENV_BROWSER)/$(BIN)/python -m pytest -rs

# Without Java, the tests are reported as skipped, with the reason.
test-spark: $(VENV_SPARK)/ternwood-installed ## ask a local Spark for predictions and trees: takes minutes
	cd python && TERNWOOD_SPARK=1 ../$(VENV_SPARK)/$(BIN)/python -m pytest tests/test_spark.py

lint: lint-rust lint-python docs-check ## check formatting, clippy, documentation and types

lint-rust:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --package ternwood --lib --no-default-features -- -D warnings
	$(MAKE) features
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# `partitions` needs `learn`, so that every combination is here.
features: ## check that the library compiles with every combination of its features
	for learning in "" learn partitions; do for threads in "" threads; do for export in "" export; do \
		cargo check --quiet --package ternwood --lib --no-default-features --features "$$learning,$$threads,$$export"; \
	done; done; done

lint-python: build-python
	cd python && ../$(VENV)/$(BIN)/ruff check . && ../$(VENV)/$(BIN)/ruff format --check .
	cd python && ../$(VENV)/$(BIN)/mypy
	cd python && ../$(VENV)/$(BIN)/python -m mypy.stubtest ternwood._ternwood
	$(PYTHON) benches/compare/summary.py --check
	$(PYTHON) scripts/dependencies.py --check
	$(PYTHON) scripts/reproduction.py --check
	$(PYTHON) scripts/models_report.py --check
	$(PYTHON) scripts/check_release.py
	$(PYTHON) scripts/check_commits.py

ci: lint test test-sklearn-oldest ## run what continuous integration runs

fuzz: ## fuzz every target for SECONDS=60
	bash scripts/fuzz.sh $(SECONDS)

soak: build-python ## run the random tests with SOAK=20 times as many cases: takes minutes
	TERNWOOD_SOAK=$(SOAK) cargo test --package ternwood --test laws --test split_optimality --test search \
		--test best_first --test pruning --test propositions --test model_file --test weights --test laws_of_many_rows \
		--test table_trees --test table_laws --test partitions --test unknown_values --test calibrated_tables --test printed_numbers --test rules
	cd python && TERNWOOD_SOAK=$(SOAK) ../$(VENV)/$(BIN)/python -m pytest tests/test_cart_equivalence.py \
		tests/test_differential.py tests/test_labels.py tests/test_metrics.py

soak-dask: build-python ## kill SOAK=20 workers at random moments of fits on a Dask cluster
	cd python && TERNWOOD_SOAK=$(SOAK) ../$(VENV)/$(BIN)/python -m pytest tests/test_dask.py -k killed

load: ## fit 10 million rows and predict 50 million, within the promised memory
	cargo run --release --package ternwood --example load

load-partitions: OUT = benches/runs/load-partitions-$$(date +%F)-$(MACHINE)
load-partitions: ## fit up to 100 million rows in partitions, within a gigabyte; results go to benches/runs/
	cargo build --release --package ternwood --example load_partitions
	mkdir -p $(OUT)
	printf '# Rows made partition by partition\n\nWritten by `make load-partitions`.\n\n' > $(OUT)/README.md
	target/release/examples/load_partitions | awk '{ print "- " $$0; fflush() }' | tee -a $(OUT)/README.md

dependencies: ## write docs/dependencies.md
	$(PYTHON) scripts/dependencies.py --write

offline: ## check that everything builds offline once vendored
	cargo vendor --locked target/vendor > target/vendor.toml 2> target/vendor.log || { cat target/vendor.log; exit 1; }
	grep -q vendored-sources target/vendor.toml # with --quiet cargo keeps it to itself, and nothing would be checked
	cargo check --workspace --locked --offline --config target/vendor.toml --target-dir target/offline

wheel: $(VENV)/tools ## build the wheel and check its contents
	cd python && ../$(VENV)/$(BIN)/maturin build --release --quiet --out ../target/wheels
	$(PYTHON) scripts/check_wheel.py target/wheels

sdist: $(VENV)/tools ## build the source distribution, and a wheel from it without a network
	cd python && ../$(VENV)/$(BIN)/maturin sdist --out ../target/wheels
	PYTHON=$(PYTHON) bash scripts/sdist_offline.sh $$(ls -t target/wheels/ternwood-*.tar.gz | head -1)

release-check: ## check that versions agree and that all crates can be published
	$(PYTHON) scripts/check_release.py
	cargo publish --workspace --dry-run --locked

fresh-install-check: ## install wheel and command where nothing else is, and run the first example
	$(PYTHON) scripts/fresh_install.py target/wheels

OLDEST_RUST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
check-oldest-rust: ## check that the oldest supported Rust compiles everything
	rustup toolchain install $(OLDEST_RUST) --profile minimal
	cargo +$(OLDEST_RUST) check --workspace --all-targets --locked

# Compiles for systems that are not at hand. Parquet and downloads have parts in C: they need a C compiler for
# the system, which is at hand for Windows (mingw-w64) and not for macOS (zig can be one).
OTHER_TARGETS := x86_64-pc-windows-gnu aarch64-apple-darwin aarch64-unknown-linux-gnu
check-other-systems: ## check that everything compiles for Windows, macOS and arm64
	rustup target add $(OTHER_TARGETS)
	for target in $(OTHER_TARGETS); do \
		features=--no-default-features; \
		if [ $$target = x86_64-pc-windows-gnu ] && command -v x86_64-w64-mingw32-gcc >/dev/null; then features=; fi; \
		cargo check --workspace --exclude ternwood-python $$features --target $$target; \
		cargo check --package ternwood-python --target $$target; \
	done

compare-models: $(VENV_MODELS)/ternwood-installed ## measure ternary trees beside EBM, forests and other trees on DATA: takes hours
	$(VENV_MODELS)/$(BIN)/python scripts/models_beside.py $(DATA) runs/models
	$(PYTHON) scripts/models_report.py --write

paper: ## run the paper's experiments on DATA (a folder of data sets) into results/
	cargo run --release --package ternwood-paper --no-default-features -- all --data $(DATA) --out results

# Every example is executed; a warning, a broken link or anything loaded from outside is an error.
docs: $(VENV_DOCS)/ternwood-installed ## build the site into target/site
	cargo build --package ternwood-cli --no-default-features
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --no-default-features --features ternwood/default \
		--package ternwood --package ternwood-table --package ternwood-figures --package ternwood-page
	$(VENV_DOCS)/$(BIN)/python docs/site/stage.py $(SITE_SOURCES) target/debug/ternwood
	rm -rf $(SITE)
	$(VENV_DOCS)/$(BIN)/python -m sphinx --fail-on-warning --keep-going --fresh-env --quiet -b html -d target/site-doctrees $(SITE_SOURCES) $(SITE)
	rm -f $(SITE)/_static/webpack-macros.html # a template of the theme, no page
	cp -R target/doc $(SITE)/rust
	$(PYTHON) docs/site/check_built.py $(SITE)

docs-check: ## check the links of all pages, and their results against committed runs
	$(PYTHON) docs/site/check_sources.py
	$(PYTHON) scripts/readme_results.py --check

reproduction-page: ## write docs/reproduction.md from the committed run
	$(PYTHON) scripts/reproduction.py --write

bench: $(VENV_BENCH)/ternwood-installed ## time ternwood against its peers; results go to benches/runs/
	cd benches/compare && ../../$(VENV_BENCH)/$(BIN)/python compare.py ../runs/$$(date +%F)-$(MACHINE)

bench-forests: $(VENV_BENCH)/ternwood-installed ## time forests and hard cases of single trees; results go to benches/runs/
	cd benches/compare && ../../$(VENV_BENCH)/$(BIN)/python forests.py ../runs/forests-$$(date +%F)-$(MACHINE)

bench-predictions: $(VENV_BENCH)/ternwood-installed ## time the predictions of forests on DATA against scikit-learn's; results go to benches/runs/
	cd benches/compare && ../../$(VENV_BENCH)/$(BIN)/python predictions.py $(abspath $(DATA)) ../runs/predictions-$$(date +%F)-$(MACHINE)

bench-reading: $(VENV)/tools ## time the reading of a 1 GB file against polars and pandas; results go to benches/runs/
	cargo build --release --package ternwood-table --example describe
	cd benches/reading && ../../$(VENV)/$(BIN)/python reading.py ../runs/reading-$$(date +%F)-$(MACHINE)

bench-dask: $(VENV_BENCH)/ternwood-installed ## time trees from a Dask cluster against XGBoost and LightGBM; results go to benches/runs/
	cd benches/compare && ../../$(VENV_BENCH)/$(BIN)/python cluster.py ../runs/dask-$$(date +%F)-$(MACHINE)

latency: build-python ## time predictions one row at a time and in batches, also by onnxruntime; results go to benches/runs/
	cargo build --release --package ternwood --example latency
	$(VENV)/$(BIN)/python benches/latency.py $(DATA) benches/runs/latency-$$(date +%F)-$(MACHINE)

bench-more-rows: $(VENV_BENCH)/tools ## fit a table three times as large as memory may be; results go to benches/runs/
	cargo build --release --package ternwood-cli
	cd benches && ../$(VENV_BENCH)/$(BIN)/python more_rows.py runs/more-rows-$$(date +%F)-$(MACHINE)

bench-readme: ## show the newest runs in README.md and docs/benchmarks.md
	$(PYTHON) benches/compare/summary.py --write

results-readme: ## show what committed runs found in README.md and on the page of results
	$(PYTHON) scripts/readme_results.py --write

micro-bench: ## time the hot loops alone
	cargo bench --package ternwood

callgrind: ## count the instructions of the hot loops, which shows regressions even on a noisy machine
	cargo build --release --package ternwood --example workload
	$(PYTHON) benches/instructions.py

callgrind-record: ## count them and record the counts as the new baseline
	cargo build --release --package ternwood --example workload
	$(PYTHON) benches/instructions.py --record

# Without the learner the library has no threads and no random numbers.
wasm-check: ## check that prediction alone builds for wasm32
	@if rustup target list --installed 2>/dev/null | grep -qx wasm32-unknown-unknown; then \
		cargo check --package ternwood --lib --no-default-features --target wasm32-unknown-unknown; \
	else \
		echo "not checked: the target wasm32-unknown-unknown is not installed (rustup target add wasm32-unknown-unknown)"; \
		cargo check --package ternwood --lib --no-default-features; \
	fi

exactness: ## compare trees of a million rows with an exhaustive search, split by split
	cargo run --release --package ternwood --example exactness

clean: ## remove everything that was built
	cargo clean
	rm -rf .venv .venv-* $(EXTENSION)

# A virtual environment, and what it is for.
$(VENV)/tools: python/tests/requirements.txt
$(VENV_OLDEST)/tools: python/tests/requirements-oldest.txt
$(VENV_BENCH)/tools: benches/compare/requirements.txt
$(VENV_BROWSER)/tools: crates/ternwood-page/browser/requirements.txt
$(VENV_MODELS)/tools: scripts/models_requirements.txt
$(VENV_SPARK)/tools: python/tests/requirements-spark.txt
$(VENV_DOCS)/tools: docs/site/requirements.txt

%/tools:
	$(PYTHON) -m venv $*
	$*/$(BIN)/pip install --quiet --disable-pip-version-check -r $(firstword $^)
	touch $@

# The package in editable mode: Python runs the files in python/src, next to the extension module.
%/ternwood-installed: %/tools $(RUST_OF_EXTENSION)
	cd python && VIRTUAL_ENV=$(CURDIR)/$* ../$*/$(BIN)/maturin develop --release --quiet
	touch $@

$(VENV)/postgres-driver: python/tests/requirements-postgres.txt $(VENV)/tools
	$(VENV)/$(BIN)/pip install --quiet --disable-pip-version-check -r $<
	touch $@
