# Every habit is one word. `make help` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

.PHONY: help build demo man test lint ci clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

build: ## build everything
	cargo build --workspace --all-targets

# The demo needs no Parquet, and without it the command builds several times as fast.
demo: ## build the command and see all of it; pictures go to demo-out/
	cargo run --release --package ternwood-cli --no-default-features -- demo --out demo-out --force

man: ## write the manual pages to man/
	cargo run --release --package ternwood-cli --no-default-features -- man man --force

test: ## build and run all tests
	cargo test --workspace

lint: ## formatting, clippy, documentation
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

ci: lint test ## what continuous integration runs

clean: ## remove what was built
	cargo clean
