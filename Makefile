# What one does with this tree. Every target installs what it lacks, can be repeated, and is quick when nothing changed.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules
.PHONY: help run test thorough package check-package repository advisories msrv mutants bench worst soak screenshots bindings clean toolchains

# rust-toolchain.toml names a version; rustup may have it under another name.
ifneq ($(shell scripts/toolchain),)
export RUSTUP_TOOLCHAIN := $(shell scripts/toolchain)
endif

UI_SOURCES := $(shell find ui/src ui/public ui/index.html ui/vite.config.ts ui/lingui.config.ts ui/package.json -type f 2>/dev/null)

help: ## Say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

run: ui/dist/index.html ## Open the app on your memories; without a screen, serve it to a browser (ARGS="--data-dir DIR")
	@scripts/run $(ARGS)

test: ui/dist/index.html tests/e2e/node_modules/.package-lock.json ## Run every check and every test (ONLY="ui e2e-window" for some)
	@scripts/install-packages build test
	@scripts/test $(ONLY)

thorough: ui/dist/index.html ## Run the tests of the Rust crates with more rounds of those that cost much; takes an hour or more
	@scripts/install-packages build test
	@RETRACE_THOROUGH=1 RETRACE_LAYOUTS=$${RETRACE_LAYOUTS:-40} scripts/test tests

package: ui/dist/index.html src-tauri/node_modules/.package-lock.json ## Build a .deb and .rpm with the app and the terminal program; wheel, npm packages and archive with the latter
	@scripts/install-packages build package
	@scripts/package

check-package: tests/e2e/node_modules/.package-lock.json ## Install each of them in a scratch directory and start what is in it; use the repositories they make
	@scripts/install-packages test package
	@scripts/check-package

repository: ## Make a signed apt and rpm repository of them (RETRACE_SIGNING_KEY names the key of gpg)
	@scripts/install-packages package
	@scripts/repository

advisories: ## Look for known vulnerabilities in dependencies; fetches the RustSec database
	@scripts/deny advisories

msrv: ## Build with the oldest Rust that is promised, where rustup has it
	@scripts/install-packages build
	@scripts/msrv

mutants: ## Change what must never be wrong in small ways and count what the tests notice; takes hours (ARGS="files")
	@scripts/install-packages serve
	@scripts/mutants $(ARGS)

bench: ## Measure what has to be fast
	@scripts/install-packages serve
	cargo bench --benches

worst: ui/node_modules/.package-lock.json ## Measure what the worst megabyte of each kind costs in inbox, diff, blame, check and render
	@scripts/install-packages serve
	cargo bench -p retrace-api --bench worst
	npm --prefix ui run --silent bench

soak: ui/dist/index.html ## Serve under mixed load for an hour and say whether its memory is level (ARGS="--minutes 20")
	@scripts/install-packages serve
	cargo build --release -p retrace-cli
	@tests/oracles/soak.py $(ARGS)

screenshots: ui/dist/index.html tests/e2e/node_modules/.package-lock.json ## Draw docs/images anew from the running app
	@scripts/install-packages build test
	@scripts/screenshots

bindings: ## Write ui/src/bindings and docs/API.md from the list of commands and the wire types
	cargo run --quiet -p retrace-api --example bindings

clean: ## Remove what was built or installed here
	rm -rf target ui/dist ui/node_modules src-tauri/node_modules tests/e2e/node_modules tests/e2e/output

toolchains:
	@scripts/check-toolchains

# npm keeps a copy of the lock file in what it installed: older than the lock file means out of date.
%/node_modules/.package-lock.json: %/package.json %/package-lock.json | toolchains
	npm ci --prefix $* --no-audit --no-fund
	@touch $@

ui/dist/index.html: $(UI_SOURCES) ui/node_modules/.package-lock.json
	npm --prefix ui run build
	@touch $@
