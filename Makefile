# Every target sets up what it needs; a machine with Python 3.11 or newer is enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: tour test check unit bench lock clean

tour: $(READY)          ## see what Commonplace does, in a minute
	$(BIN)/commonplace tour

test: check unit        ## everything that must pass

check: $(READY)         ## style, types and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright --level error
	$(BIN)/lint-imports

unit: $(READY)          ## the tests
	$(BIN)/python -m pytest

bench: $(READY)         ## measure speed, as ratios within one run
	for file in benchmarks/*.py; do $(BIN)/python $$file || exit 1; done

lock: $(READY)          ## renew requirements.txt from pyproject.toml
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --generate-hashes --upgrade \
	  --no-emit-index-url --no-header --no-annotate --quiet --output-file requirements.txt

clean:                  ## remove the environment
	rm -rf $(VENV)

$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@
