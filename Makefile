# Every target sets up what it needs; a machine with Python 3.11 or newer is enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
TESTED := $(VENV)/.ready-to-test
SUITE  := $(VENV)/mcp-suite/node_modules/.package-lock.json
HOSTS  := $(VENV)/hosts/node_modules/.package-lock.json
PIP    := $(BIN)/pip install --quiet --disable-pip-version-check
LOCK   := $(BIN)/uv pip compile pyproject.toml --universal --generate-hashes \
	  --no-emit-index-url --no-header --no-annotate --quiet

# The tests start thousands of programs; each would compile the sources anew where nothing may be written.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: serve tour test test-all check unit proofs bench quality peers site lock clean mcp-suite hosts chromium promtool

serve: $(READY)         ## serve your book: the panel, MCP and REST
	$(BIN)/commonplace serve

tour: $(READY)          ## see what Commonplace does, in a minute
	$(BIN)/commonplace tour

test: check unit        ## style, types, the import contract and the tests, in minutes

test-all: test proofs   ## these, then every store and the slow proofs

check: $(TESTED)        ## style, types and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright --level error
	$(BIN)/lint-imports

unit: $(TESTED)         ## the tests, on the vault; the other stores as smoke
	$(BIN)/python -m pytest -m "not slow"

proofs: $(TESTED) $(SUITE) $(HOSTS) chromium promtool ## kills, browsers, hosts, every other store
	$(BIN)/python -m pytest -m slow

bench: $(TESTED)        ## measure speed and reliability, as ratios within one run
	@failed=; for file in benchmarks/speed/*.py benchmarks/reliability/*.py; do \
	  printf '\n== %s\n%s\n\n' "$$file" "$$(head -n 1 $$file | tr -d '"')"; \
	  $(BIN)/python $$file || failed="$$failed $$file"; done; \
	  test -z "$$failed" || { echo "Failed:$$failed"; exit 1; }

quality: $(TESTED)      ## measure how good the answers are: make quality EVALS=folder
	@test -d "$(EVALS)" || { echo "Name the folder of the sets: make quality EVALS=folder"; exit 2; }
	$(BIN)/python benchmarks/quality/judging.py $(EVALS)/pairs/sick.jsonl.gz $(EVALS)/pairs/sts.jsonl.gz
	$(BIN)/python benchmarks/quality/calibration.py $(EVALS)/pairs/sts.jsonl.gz $(EVALS)/pairs/sick.jsonl.gz
	$(BIN)/python benchmarks/quality/screening.py $(EVALS)/pairs/pii.jsonl.gz
	$(BIN)/python benchmarks/quality/ablation.py $(EVALS)
	$(BIN)/python benchmarks/quality/engines.py $(EVALS)

peers: $(TESTED)        ## measure other memories beside ours, each in its own environment
	$(BIN)/python -m benchmarks.peers

site: $(TESTED)         ## the documentation as a site, in build/site
	$(BIN)/python scripts/site.py

lock: $(TESTED)         ## renew the locked versions from pyproject.toml
	$(LOCK) --all-extras --group dev --upgrade --output-file requirements-test.txt
	$(LOCK) --extra panel --group launch --constraint requirements-test.txt --output-file requirements.txt

clean:                  ## remove the environment
	rm -rf $(VENV)

$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements.txt
	$(PIP) --no-deps --editable .
	touch $@

$(TESTED): requirements-test.txt $(READY)
	$(PIP) --require-hashes -r requirements-test.txt
	touch $@

chromium:               ## the browser that the panel is tested in
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || { \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium-headless-shell || \
	  apt-get install -y -qq --no-install-recommends chromium; }

promtool: $(READY)      ## what the alert rules are tested with, out of Debian's package
	@command -v promtool >/dev/null || test -x $(BIN)/promtool || { \
	  mkdir -p $(VENV)/prometheus && cd $(VENV)/prometheus && \
	  { apt-get download -qq prometheus || { apt-get update -qq && apt-get download -qq prometheus; }; } && \
	  dpkg -x prometheus_*.deb . && mv usr/bin/promtool ../bin/ && cd .. && rm -rf prometheus; }

mcp-suite: $(SUITE)     ## the protocol's own tests, for ours

$(SUITE): tests/doors/server/mcp_suite/package-lock.json $(TESTED)
	$(BIN)/python tests/doors/server/mcp_suite/install.py

hosts: $(HOSTS)         ## the coding agents that npm has, to be run with our hooks and MCP

$(HOSTS): tests/hosts/programs/package-lock.json $(TESTED)
	$(BIN)/python tests/hosts/programs/install.py
	touch $@
