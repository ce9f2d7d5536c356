# Needs python3 (3.11 or newer), pip and make; everything else goes into .venv.
# `make` alone lists the targets.

PYTHON ?= python3
WORKERS ?= auto
ARGS ?=

BIN := .venv/bin
LOCK := .cache/lock

.DEFAULT_GOAL := help
.PHONY: help setup run test fuzz facades lint format bench falsify mutants docs lock clean

help: ## list the targets
	@echo "usage: make TARGET [ARGS='more arguments']"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

setup: .venv/.warm ## create .venv with the pinned requirements and the package, editable; compile the default learners

run: setup ## run the default learner on a built-in stream; ARGS go to `littlestone run`
	@$(BIN)/littlestone run $(ARGS)

test: .venv/.installed ## run every test and doctest; ARGS go to pytest
	@sh tools/chromium.sh
	@$(BIN)/pytest -n $(WORKERS) $(ARGS)

fuzz: .venv/.installed ## call live learners a million times with good and bad arguments; ARGS: how many calls
	@LITTLESTONE_ENGINE=plain $(BIN)/python tests/live/fuzz_live.py $(ARGS)

facades: .venv/.installed ## the checks of scikit-learn and River over every facade (a quarter of an hour)
	@LITTLESTONE_EVERY_FACADE=1 $(BIN)/pytest -n $(WORKERS) tests/interop/test_interop.py -k checks_it $(ARGS)

lint: .venv/.installed ## check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict src
	$(BIN)/lint-imports --no-logo

format: .venv/.installed ## rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.installed ## measure, print a table, write JSON to benchmarks/out; ARGS go to the benchmarks
	@$(BIN)/python -m benchmarks $(ARGS)

falsify: .venv/.installed ## attack every theorem and statement, write docs/falsify; ARGS go to the campaign
	@$(BIN)/python -m littlestone.falsify.campaign --out docs/falsify --jobs 2 $(ARGS)

verdicts: .venv/.installed ## attack the verdicts of certificates: 100,000 hostile runs (20 minutes of a core), no false one; ARGS: runs and a seed
	@$(BIN)/python tools/verdicts.py $(ARGS)

mutants: .venv/.installed ## plant bugs in a copy of the sources and see which test catches each; ARGS go to tools/mutants.py
	@$(BIN)/python tools/mutants.py $(ARGS)

docs: .venv/.installed ## build the documentation
	@$(BIN)/python docs/build.py $(ARGS)

lock: ## pin the newest versions that pyproject.toml admits, hashed, in requirements.txt
	@test -x $(LOCK)/bin/uv || { $(PYTHON) -m venv $(LOCK) && $(LOCK)/bin/python -m pip install -qq uv; }
	$(LOCK)/bin/uv pip compile pyproject.toml --group dev --all-extras --universal --upgrade \
	    --python-version 3.11 --generate-hashes --no-emit-index-url --quiet \
	    --custom-compile-command "make lock" --output-file requirements.txt

clean: ## remove .venv, caches and everything else that was built
	rm -rf .venv .cache .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .benchmarks
	rm -rf build dist reports benchmarks/out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The requirements are pinned and hashed, wheels only; the package itself is then built with the
# pinned backend, so nothing unpinned is ever fetched.
.venv/.requirements: requirements.txt tools/venv.sh
	@PYTHON="$(PYTHON)" sh tools/venv.sh --require-hashes --only-binary :all: -r requirements.txt
	@touch $@

.venv/.installed: .venv/.requirements pyproject.toml
	@PYTHON="$(PYTHON)" sh tools/venv.sh --no-deps --no-build-isolation --editable .
	@touch $@

# The learners that `littlestone run` takes where none is named are compiled here, once, so that the first
# run shows its result at once. A learner that cannot be compiled now is compiled when it is first played.
.venv/.warm: .venv/.installed
	@echo "compiling the default learners, once:"
	@$(BIN)/littlestone warm tracker online-linear online-kernel || true
	@touch $@
