# The front door for developers. `make` alone says what there is.
# GNU make and a POSIX shell are all it needs; once installed, nothing below touches the network.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest
# Several workers, each with a server of its own (how many: tests/conftest.py). Who has nothing left to do takes
# over tests of the others, so that no long file is waited for at the end.
BESIDE := --numprocesses auto --dist worksteal
# Hundreds of processes are started here; none is to compile everything again, whatever the caller's shell says.
unexport PYTHONDONTWRITEBYTECODE
# make test PG_BIN=dir: most tests run on those programs of PostgreSQL (with pgvector) instead of the embedded ones.
export QUIPU_TEST_PG_BIN := $(PG_BIN)
# make setup NEWEST=1: the newest versions of what we depend on, whatever constraints.txt says.
VERSIONS := $(if $(NEWEST),--upgrade --upgrade-strategy eager,--constraint constraints.txt)

# An environment belongs to its place, and what is in it to what was asked for: a change of either makes
# the stamp another file, and only then is anything installed again.
PLACE := $(VENV)/.made-$(firstword $(shell pwd | cksum))
ASKED := $(if $(NEWEST),newest-)$(firstword $(shell cat pyproject.toml constraints.txt | cksum))
RUNTIME := $(VENV)/.runtime-$(ASKED)
DEV := $(VENV)/.dev-$(ASKED)

# make demo FROM=dir: the shell leaves a ~ behind an = alone, so it is replaced here.
FROM_DIR := $(patsubst ~/%,$(HOME)/%,$(FROM))

##@ Start here
.PHONY: help demo setup
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(RUNTIME) ## Import recorded conversations and ask questions (FROM=dir: your own agent sessions)
	@$(BIN)/quipu demo $(if $(FROM),--from "$(FROM_DIR)")

setup: $(DEV) ## Make the environment .venv with everything for development
	@echo "Ready: $(BIN)/quipu, or . $(BIN)/activate"

##@ Tests
.PHONY: test test-pgbouncer test-standby test-peers test-long test-kills unit check gates format-check lint types imports sync-check schema-check rest-check \
  subject-check coverage
test: $(DEV) ## Run every test (PG_BIN=dir: on other programs of PostgreSQL)
	$(PYTEST) $(BESIDE) tests

test-long: $(DEV) ## Run the long form of the tests that have one: more kills, larger spaces (minutes)
	QUIPU_TEST_LONG=1 $(PYTEST) $(BESIDE) -m long tests

test-pgbouncer: $(DEV) ## Run the tests of the database through PgBouncer in transaction mode (PART=10: a fixed tenth)
	QUIPU_TEST_PGBOUNCER=1 QUIPU_TEST_PART=$(PART) $(PYTEST) $(BESIDE) tests/integration

test-standby: $(DEV) ## Run the tests of the database with all that only reads at a standby (PART=10: a fixed tenth)
	QUIPU_TEST_STANDBY=1 QUIPU_TEST_PART=$(PART) $(PYTEST) $(BESIDE) tests/integration

test-peers: $(DEV) ## Run the tests of the stores that agents come from, with ours in their place (fetches them; ARGS=mem0)
	$(BIN)/python tools/peer_suites.py $(ARGS)

ROUNDS := 1000
test-kills: $(DEV) ## Kill every writer and the server ROUNDS=1000 times (an hour; QUIPU_KILL_SEED repeats a run)
	QUIPU_KILL_ROUNDS=$(ROUNDS) $(PYTEST) $(BESIDE) -m kills tests

unit: $(DEV) ## Run the tests that need no database (seconds)
	$(PYTEST) tests/unit

check: gates coverage ## Run every gate, and every test with branch coverage

gates: format-check lint types imports sync-check schema-check rest-check subject-check ## Check format, lint, types, imports, generated files, subjects

format-check: $(DEV)
	$(BIN)/ruff format --check .

lint: $(DEV)
	$(BIN)/ruff check .

types: $(DEV)
	$(BIN)/basedpyright --pythonpath $(BIN)/python

imports: $(DEV)
	$(BIN)/lint-imports --no-logo --no-cache

sync-check: $(DEV)
	$(BIN)/python tools/make_sync.py --check

schema-check: $(DEV)
	$(BIN)/python tools/dump_schema.py --check

rest-check: $(DEV)
	$(BIN)/python tools/dump_rest.py --check
	$(BIN)/python tools/dump_reference.py --check

subject-check:  # of the commits that origin/main lacks
	tools/check_subject.sh --ahead-of origin/main

COVERED := .coverage.json
coverage: $(DEV) ## Run every test, and show how much of each package they cover
	$(PYTEST) $(BESIDE) tests --cov=quipu --cov-branch --cov-report=term:skip-covered --cov-report=json:$(COVERED)
	$(BIN)/python tools/coverage_by_package.py $(COVERED)

##@ Work
.PHONY: format sync schema rest constraints bench-recall bench-speed bench-startup bench-ledger bench-queue bench-transcripts \
  bench-extraction bench-hooks bench-episodes bench-boundaries bench-observing bench-chunking bench-loops \
  bench-concepts bench-condensing bench-serve bench-pages bench-linear bench-with-model bench-documents bench-archive bench-imports wheel release clean
format: $(DEV) ## Format the code and sort its imports
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

sync: $(DEV) ## Write src/quipu/sync.py from the async classes
	$(BIN)/python tools/make_sync.py

schema: $(DEV) ## Write docs/schema.sql from the migrations
	$(BIN)/python tools/dump_schema.py

rest: $(DEV) ## Write what is derived of docs/reference
	$(BIN)/python tools/dump_rest.py
	$(BIN)/python tools/dump_reference.py

constraints: $(DEV) ## Write constraints.txt from the versions in .venv
	$(BIN)/python tools/make_constraints.py

bench-recall: $(DEV) ## Measure recall (DATA=locomo10.json: on LoCoMo, else on our own conversations; ARGS=…)
	$(BIN)/python bench/recall.py $(if $(DATA),locomo --data "$(DATA)",own) $(ARGS)

bench-speed: $(DEV) ## Measure speed against plain PostgreSQL and the peers (ARGS="--n 10000 …")
	$(BIN)/python bench/speed.py $(ARGS)

bench-startup: $(DEV) ## Measure how long each start takes (ARGS="--rounds 3 …")
	$(BIN)/python bench/startup.py $(ARGS)

bench-ledger: $(DEV) ## Measure what a fact costs beside a plain INSERT, and state(as_of) (ARGS="--check")
	$(BIN)/python bench/ledger.py $(ARGS)

bench-queue: $(DEV) ## Measure jobs a second on PostgreSQL and on Redis, beside SAQ alone (ARGS="--jobs 500")
	$(BIN)/python bench/jobs.py $(ARGS)

bench-transcripts: $(DEV) ## Measure taking sessions in, and searching 200,000 messages (ARGS=--quick)
	$(BIN)/python bench/transcripts.py $(ARGS)
	$(BIN)/python bench/transcripts_search.py

bench-extraction: $(DEV) ## Measure how well lessons are told from what was only said (ARGS=--all)
	$(BIN)/python bench/extraction.py $(ARGS)

bench-hooks: $(DEV) ## Measure how long an agent waits for a hook (ARGS="--check")
	$(BIN)/python bench/hooks.py $(ARGS)

bench-episodes: $(DEV) ## Measure exchanges a second into episodes, and memory (ARGS="--quality locomo10.json")
	$(BIN)/python bench/episodes.py $(ARGS)

bench-boundaries: $(DEV) ## Measure where episodes end beside true sessions (ARGS="--data locomo10.json")
	$(BIN)/python bench/boundaries.py $(ARGS)

bench-observing: $(DEV) ## Measure what observe costs with all that hears of it (ARGS="--turns 100")
	$(BIN)/python bench/observing.py $(ARGS)

bench-chunking: $(DEV) ## Measure how well exchanges are read by rules (ARGS=--faults)
	$(BIN)/python bench/chunking.py $(ARGS)

bench-loops: $(DEV) ## Measure how well open loops are found, and what closes them (ARGS="--half tune --errors")
	$(BIN)/python bench/loops.py $(ARGS)

bench-with-model: $(DEV) ## Measure your language model beside the rules (ARGS="--set tune --tokens 200000")
	$(BIN)/python bench/with_model.py $(ARGS)

bench-condensing: $(DEV) ## Measure how something ended and felt, by words and by meaning (ARGS=--faults)
	$(BIN)/python bench/condensing.py $(ARGS)

bench-concepts: $(DEV) ## Measure whether following associations helps recall (ARGS="--data locomo10.json")
	$(BIN)/python bench/concepts.py $(ARGS)

bench-serve: $(DEV) ## Measure recalls a second by HTTP, of 1, 8 and 32 clients (ARGS=--quick)
	$(BIN)/python bench/serve.py $(ARGS)

bench-pages: $(DEV) ## Measure every page and every GET of REST over 100,000 rows of every kind (ARGS=--check)
	$(BIN)/python bench/pages.py $(ARGS)

bench-documents: $(DEV) ## Measure files as documents: taken in, unchanged, found, erased (ARGS="--files 200 --check")
	$(BIN)/python bench/documents.py $(ARGS)

bench-archive: $(DEV) ## Measure an archive of a million messages, out and in (ARGS="--messages 20000 --check")
	$(BIN)/python bench/archive.py $(ARGS)

bench-imports: $(DEV) ## Measure an export of a gigabyte, read, taken in and undone (ARGS="--megabytes 20 --check")
	$(BIN)/python bench/imports.py $(ARGS)

bench-gather: $(DEV) ## Measure gathering among 100,000 memories against its limit (ARGS=--check)
	$(BIN)/python bench/gather.py $(ARGS)

bench-linear: $(DEV) ## Measure how the time of what reads texts grows with them (ARGS=--check)
	$(BIN)/python bench/linear.py $(ARGS)

wheel: $(DEV) ## Build dist/*.whl
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .

release: $(DEV) ## Show what a release VERSION=0.2.0 would be, or with CONFIRM=1 make it: version, changelog, dist/
	$(BIN)/python tools/release.py $(if $(CONFIRM),--confirm) $(VERSION)

clean: ## Remove what was built, .venv included
	rm -rf $(VENV) .bench dist build htmlcov .coverage .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Installation. Python is looked for as PYTHON=…, then by its usual names.
$(PLACE):
	@found=; seen=; \
	for python in $(PYTHON) $(if $(PYTHON),,python3 python3.14 python3.13 python3.12 python3.11 python); do \
	  version=$$("$$python" -c 'import platform; print(platform.python_version())' 2>/dev/null) || continue; \
	  seen="$$seen $$python is $$version."; \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "Quipu needs Python 3.11 or newer. Found:$${seen:- none.}" >&2; \
	  echo "Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12" >&2; exit 1; \
	fi; \
	echo "Making $(VENV) with $$found"; \
	rm -rf $(VENV); \
	if "$$found" -c 'import ensurepip' 2>/dev/null; then "$$found" -m venv $(VENV); \
	else "$$found" -m venv --without-pip $(VENV) && "$$found" -m pip --quiet --python $(BIN)/python install pip; \
	fi || { echo "Making $(VENV) failed. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@touch $@

$(RUNTIME): | $(PLACE)
	@echo "Installing Quipu"
	@$(PIP) install $(VERSIONS) --editable .
	@rm -f $(VENV)/.runtime-* $(VENV)/.dev-* && touch $@

$(DEV): | $(RUNTIME)
	@echo "Installing the tools for development"
	@$(BIN)/python -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb")); \
	  print(*p["dependency-groups"]["dev"], *p["build-system"]["requires"], \
	  *(line for extra in ("llm", "onnx", "redis", "anthropic", "openai-agents", "langgraph", "pdf", "server", "telemetry") \
	  for line in p["project"]["optional-dependencies"][extra]), sep="\n")' > $(VENV)/dev.txt
	@$(PIP) install $(VERSIONS) --requirement $(VENV)/dev.txt
	@touch $@
