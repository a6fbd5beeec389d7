SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Models on one thread a process: several processes share the cores.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: install demo test lint unit integration crash bench clean

install: $(STAMP)

$(STAMP): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))' || \
	  { echo "memstream needs Python 3.11 or 3.12: set PYTHON=python3.11"; exit 1; }
	[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip uv
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --no-deps -e .
	touch $(STAMP)

# make demo, or make demo FILE=turns.jsonl, or make demo FILE=locomo.json FORMAT=locomo
demo: install
	$(BIN)/memstream demo $(if $(FILE),$(FILE)) $(if $(FORMAT),--format $(FORMAT))

test: lint unit integration crash-short

lint: install
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: install
	$(BIN)/pytest tests/unit

integration: install
	$(BIN)/pytest tests/integration

.PHONY: crash-short
crash-short: install
	$(BIN)/pytest tests/crash -m crash

crash: install
	$(BIN)/python -m tests.crash --rounds 20 --turns 20000

bench: install
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .memstream .mypy_cache .ruff_cache .pytest_cache
