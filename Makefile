# Everything a person or CI needs; `make help` lists it.
SHELL := /bin/bash
GO ?= go
BIN := bin/kedge
TOOLS := $(CURDIR)/.tools

.PHONY: help build install check test quick test-agents test-replay bench fuzz demo demo-ledger screenshots deps clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## the binary, in bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o $(BIN).linked ./cmd/kedge
	@cmp -s $(BIN).linked $(BIN) || ./tools/copy.sh $(BIN).linked $(BIN)

install: ## the binary, where go install puts it
	CGO_ENABLED=0 $(GO) install -trimpath -ldflags '-s -w' ./cmd/kedge
	@at=$$($(GO) list -f '{{.Target}}' ./cmd/kedge) && ./tools/copy.sh "$$at" "$$at"

deps: ## what the tests need beside Go and git
	@./tools/deps.sh

# Tests that sample under the race detector, which makes them ten times slower
# and sees nothing there, and go through everything without it.
WHOLE := F7|Simulation
WHOLE_IN := ./internal/journal ./internal/testkit/sim

# The race detector, but not in SQLite's own code, which is translated from C: its memory is
# not Go's, so that the detector sees nothing there, and it is slow.
RACE := -race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc/...=-race=false

# As Kedge is built, and as the tests that build it do: what one compiled, the others use.
PLAIN := -trimpath

# Without it every command that a test runs waits a second before it ends.
test: export GORACE := atexit_sleep_ms=0
test: deps ## all tests, with the race detector; then the exhaustive ones, without
	CGO_ENABLED=0 $(GO) vet $(PLAIN) ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/kedge
	./tools/in-memory.sh $(GO) test $(RACE) -timeout 60m ./...
	CGO_ENABLED=0 ./tools/in-memory.sh $(GO) test $(PLAIN) -run '$(WHOLE)' -timeout 60m $(WHOLE_IN)

quick: ## the tests of one room and of those that import it: make quick ROOM=core
	@GO='$(GO)' ./tools/quick.sh '$(ROOM)'

# Where the real agents are, not below /tmp: a sandbox has one of its own. AGENTS names
# those that are wanted (all).
KEDGE_AGENTS ?= $(HOME)/.cache/kedge/agents

test-agents: ## the real agents, installed with npm, against a model on the loopback interface
	@GO='$(GO)' ./tools/test-agents.sh '$(KEDGE_AGENTS)' $(AGENTS)

test-replay: ## real commits and whole histories; KEDGE_REPLAY_REPOS names a folder of repositories
	$(GO) test -count=1 -v -timeout 60m -run TestReplayRealCommits ./internal/insight/testguard
	$(GO) test -count=1 -v -timeout 6h -run TestReplayHistories ./internal/testkit/replay

check: ## formatting, vet, lint, dead code
	@./tools/check.sh $(TOOLS)

bench: ## our figures beside those of the peers, as ratios
	$(GO) run ./tools/bench

fuzz: ## every fuzz target, FUZZTIME (30s) each, and twenty rounds of random kills
	@./tools/fuzz.sh

demo: build ## the main job end to end, in a scratch folder: no key, no network
	@$(BIN) demo

demo-ledger: build ## the ledger, the gate and sessions by hand, likewise
	@./tools/demo-ledger.sh $(CURDIR)/$(BIN)

# From a real run of the scripted agent: process ids, times and figures differ each time,
# so commit the pictures only when what Kedge prints has changed.
screenshots: ## the pictures of the documentation, in docs/pictures
	@$(GO) run ./tools/screenshots

clean: ## bin/ and the installed tools
	rm -rf bin $(TOOLS)
