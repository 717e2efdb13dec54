# `make help` lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
VENV_OLDEST := .venv-oldest
VENV_BENCH := .venv-bench
VENV_BROWSER := .venv-browser
VENV_SPARK := .venv-spark
# The machine of a benchmark: part of the name of its results folder.
MACHINE ?= $(shell nproc)-cores
# The data sets of the paper: `ternwood paper fetch --out DIR` downloads them.
DATA ?= ../shared/openml
# The extension module and its sources.
EXTENSION := python/src/ternwood/_ternwood.abi3.so
RUST_OF_EXTENSION := Cargo.toml Cargo.lock .cargo/config.toml python/pyproject.toml \
	$(shell find python/rust crates/ternwood crates/ternwood-figures crates/ternwood-page/src crates/ternwood-page/assets \
	-name '*.rs' -o -name Cargo.toml -o -name '*.js' -o -name '*.css' 2>/dev/null)

SECONDS ?= 60
# `make soak` multiplies the number of random cases by this.
SOAK ?= 20

.PHONY: help build build-rust build-python demo man test test-rust test-python fuzz soak soak-dask load load-partitions dependencies \
	offline wheel \
	test-sklearn-oldest test-browser test-spark lint lint-rust lint-python ci paper reproduction-page bench bench-forests bench-reading bench-dask bench-more-rows bench-readme micro-bench callgrind callgrind-record exactness wasm-check \
	clean

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
	cd python && SCIPY_ARRAY_API=1 ../$(VENV)/bin/python -m pytest

test-sklearn-oldest: $(VENV_OLDEST)/ternwood-installed ## run the Python tests with the oldest supported scikit-learn
	cd python && ../$(VENV_OLDEST)/bin/python -m pytest

# Pages in a real browser. Without one, the tests are reported as skipped, with the reason.
test-browser: $(VENV_BROWSER)/tools ## open pages in chromium: answers, requests, accessibility
	cargo build --package ternwood-cli --no-default-features
	cargo build --package ternwood-page --example browser_cases
	cd crates/ternwood-page/browser && ../../../$(VENV_BROWSER)/bin/python -m pytest -rs

# Without Java, the tests are reported as skipped, with the reason.
test-spark: $(VENV_SPARK)/ternwood-installed ## ask a local Spark for predictions and trees: takes minutes
	cd python && TERNWOOD_SPARK=1 ../$(VENV_SPARK)/bin/python -m pytest tests/test_spark.py

lint: lint-rust lint-python ## check formatting, clippy, documentation and types

lint-rust:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --package ternwood --lib --no-default-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

lint-python: build-python
	cd python && ../$(VENV)/bin/ruff check . && ../$(VENV)/bin/ruff format --check .
	cd python && ../$(VENV)/bin/mypy
	cd python && ../$(VENV)/bin/python -m mypy.stubtest ternwood._ternwood
	python3 benches/compare/summary.py --check
	python3 scripts/dependencies.py --check
	python3 scripts/reproduction.py --check

ci: lint test test-sklearn-oldest ## run what continuous integration runs

fuzz: ## fuzz every target for SECONDS=60
	bash scripts/fuzz.sh $(SECONDS)

soak: build-python ## run the random tests with SOAK=20 times as many cases: takes minutes
	TERNWOOD_SOAK=$(SOAK) cargo test --package ternwood --test laws --test split_optimality --test search \
		--test best_first --test pruning --test propositions --test model_file --test weights --test laws_of_many_rows \
		--test table_trees --test table_laws --test partitions --test unknown_values --test calibrated_tables --test printed_numbers --test rules
	cd python && TERNWOOD_SOAK=$(SOAK) ../$(VENV)/bin/python -m pytest tests/test_cart_equivalence.py \
		tests/test_differential.py tests/test_labels.py tests/test_metrics.py

soak-dask: build-python ## kill SOAK=20 workers at random moments of fits on a Dask cluster
	cd python && TERNWOOD_SOAK=$(SOAK) ../$(VENV)/bin/python -m pytest tests/test_dask.py -k killed

load: ## fit 10 million rows and predict 50 million, within the promised memory
	cargo run --release --package ternwood --example load

load-partitions: OUT = benches/runs/load-partitions-$$(date +%F)-$(MACHINE)
load-partitions: ## fit up to 100 million rows in partitions, within a gigabyte; results go to benches/runs/
	cargo build --release --package ternwood --example load_partitions
	mkdir -p $(OUT)
	printf '# Rows made partition by partition\n\nWritten by `make load-partitions`.\n\n' > $(OUT)/README.md
	target/release/examples/load_partitions | sed -u 's/^/- /' | tee -a $(OUT)/README.md

dependencies: ## write docs/dependencies.md
	python3 scripts/dependencies.py --write

offline: ## check that everything builds offline once vendored
	cargo vendor --locked --quiet target/vendor > target/vendor.toml
	cargo check --workspace --locked --offline --config target/vendor.toml --target-dir target/offline

wheel: $(VENV)/tools ## build the wheel and check its contents
	cd python && ../$(VENV)/bin/maturin build --release --quiet --out ../target/wheels
	python3 scripts/check_wheel.py target/wheels

paper: ## run the paper's experiments on DATA (a folder of data sets) into results/
	cargo run --release --package ternwood-cli --no-default-features -- paper all --data $(DATA) --out results

reproduction-page: ## write docs/reproduction.md from the committed run
	python3 scripts/reproduction.py --write

bench: $(VENV_BENCH)/ternwood-installed ## time ternwood against its peers; results go to benches/runs/
	cd benches/compare && ../../$(VENV_BENCH)/bin/python compare.py ../runs/$$(date +%F)-$(MACHINE)

bench-forests: $(VENV_BENCH)/ternwood-installed ## time forests and hard cases of single trees; results go to benches/runs/
	cd benches/compare && ../../$(VENV_BENCH)/bin/python forests.py ../runs/forests-$$(date +%F)-$(MACHINE)

bench-reading: $(VENV)/tools ## time the reading of a 1 GB file against polars and pandas; results go to benches/runs/
	cargo build --release --package ternwood-table --example describe
	cd benches/reading && ../../$(VENV)/bin/python reading.py ../runs/reading-$$(date +%F)-$(MACHINE)

bench-dask: $(VENV_BENCH)/ternwood-installed ## time trees from a Dask cluster against XGBoost and LightGBM; results go to benches/runs/
	cd benches/compare && ../../$(VENV_BENCH)/bin/python cluster.py ../runs/dask-$$(date +%F)-$(MACHINE)

bench-more-rows: $(VENV_BENCH)/tools ## fit a table three times as large as memory may be; results go to benches/runs/
	cargo build --release --package ternwood-cli
	cd benches && ../$(VENV_BENCH)/bin/python more_rows.py runs/more-rows-$$(date +%F)-$(MACHINE)

bench-readme: ## show the newest run in README.md
	python3 benches/compare/summary.py --write

micro-bench: ## time the hot loops alone
	cargo bench --package ternwood

callgrind: ## count the instructions of the hot loops, which shows regressions even on a noisy machine
	cargo build --release --package ternwood --example workload
	python3 benches/instructions.py

callgrind-record: ## count them and record the counts as the new baseline
	cargo build --release --package ternwood --example workload
	python3 benches/instructions.py --record

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
	rm -rf $(VENV) $(VENV_OLDEST) $(VENV_BENCH) $(VENV_BROWSER) $(VENV_SPARK) $(EXTENSION)

# A virtual environment with what the tests need and the package in editable mode: Python runs the
# files in python/src, next to the extension module.
$(VENV)/tools: python/tests/requirements.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

$(VENV)/ternwood-installed: $(VENV)/tools $(RUST_OF_EXTENSION)
	cd python && VIRTUAL_ENV=$(CURDIR)/$(VENV) ../$(VENV)/bin/maturin develop --release --quiet
	touch $@

$(VENV_OLDEST)/tools: python/tests/requirements-oldest.txt
	python3 -m venv $(VENV_OLDEST)
	$(VENV_OLDEST)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

$(VENV_OLDEST)/ternwood-installed: $(VENV_OLDEST)/tools $(RUST_OF_EXTENSION)
	cd python && VIRTUAL_ENV=$(CURDIR)/$(VENV_OLDEST) ../$(VENV_OLDEST)/bin/maturin develop --release --quiet
	touch $@

$(VENV_BENCH)/tools: benches/compare/requirements.txt python/tests/requirements.txt
	python3 -m venv $(VENV_BENCH)
	$(VENV_BENCH)/bin/pip install --quiet --disable-pip-version-check maturin -r $<
	touch $@

$(VENV_BENCH)/ternwood-installed: $(VENV_BENCH)/tools $(RUST_OF_EXTENSION)
	cd python && VIRTUAL_ENV=$(CURDIR)/$(VENV_BENCH) ../$(VENV_BENCH)/bin/maturin develop --release --quiet
	touch $@

$(VENV_BROWSER)/tools: crates/ternwood-page/browser/requirements.txt
	python3 -m venv $(VENV_BROWSER)
	$(VENV_BROWSER)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

$(VENV_SPARK)/tools: python/tests/requirements-spark.txt
	python3 -m venv $(VENV_SPARK)
	$(VENV_SPARK)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

$(VENV_SPARK)/ternwood-installed: $(VENV_SPARK)/tools $(RUST_OF_EXTENSION)
	cd python && VIRTUAL_ENV=$(CURDIR)/$(VENV_SPARK) ../$(VENV_SPARK)/bin/maturin develop --release --quiet
	touch $@
