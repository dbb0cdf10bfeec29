# Everything a fresh machine needs is installed by the targets themselves, into .cache, or by apt-get
# where it is a part of the system.

ADDR ?= 127.0.0.1:8765
ROOT ?= .

.PHONY: run build test bench bench-start bench-protocol bench-policy bench-search bench-map bench-code bench-edit bench-shell bench-mcp bench-tools setup

## run: build dogu, serve the tools of ROOT over HTTP at ADDR, and say what to do next
run: build
	./target/release/dogu serve --http $(ADDR) --root $(ROOT)

build:
	CARGO_TARGET_DIR=target cargo build --release -p dogu

## test: all that must hold; what it needs from outside it installs first
test: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace
	cargo test --workspace --test agents --test conformance --test foreign_clients --test gateway --test real_model --test truth --test rg_agrees --test walk --test tools --test memory --test shell -- --ignored
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

## setup: MCP clients, servers and agents of others, the conformance suite, the language model, the sandbox, the searchers and the shells that the tests use
setup:
	scripts/setup-agents
	scripts/setup-mcp-clients
	scripts/setup-mcp-conformance
	scripts/setup-mcp-servers
	scripts/setup-model
	scripts/setup-sandbox
	scripts/setup-search
	scripts/setup-shells

## bench: what the pipeline adds to a call
bench:
	cargo bench -p dogu-runtime

## bench-start: `dogu call` of a tool beside /bin/true
bench-start: build
	scripts/bench-start target/release/dogu

## bench-protocol: how fast the parsers read, and that twice the text is twice the work
bench-protocol:
	cargo bench -p dogu-protocol --bench protocol
	scripts/bench-protocol-growth

## bench-policy: decisions a second, and how long the worst lines of 64 KB take
bench-policy:
	cargo bench -p dogu-policy --bench decisions

## bench-search: `grep` beside ripgrep and `glob` beside fd, on more than 20,000 files
bench-search:
	scripts/setup-search
	cargo bench -p dogu --bench search

## bench-map: how fast the sources of all dependencies are mapped, cold and warm
bench-map:
	cargo bench -p dogu-builtin --bench map

## bench-code: how fast code is indexed, asked and kept up to date
bench-code:
	cargo bench -p dogu-builtin --bench code

## bench-edit: edits that models got wrong, over real files: right, wrong or refused; and how fast
SEED ?= 1
bench-edit:
	cargo bench -p dogu-edit --bench corruptions -- --seed $(SEED)
	cargo bench -p dogu-edit --bench speed

## bench-shell: a command through the tool and the sandbox beside `bash -c`, and a gigabyte of output
bench-shell:
	cargo bench -p dogu --bench shell

## bench-tools: how fast a tool is found among 5,000
bench-tools:
	cargo bench -p dogu-builtin --bench tools

## bench-mcp: `dogu serve` beside the filesystem server of the protocol's authors
MCP_SUITE := .cache/mcp-conformance/node_modules
bench-mcp: build
	scripts/setup-mcp-conformance
	python3 scripts/bench_mcp.py target/release/dogu $(MCP_SUITE)/.bin/node $(MCP_SUITE)/@modelcontextprotocol/server-filesystem/dist/index.js
