# Needs python3 (3.11 or newer), pip and make; everything else goes into .venv.
# `make` alone lists the targets.

PYTHON ?= python3
WORKERS ?= auto
BROWSER ?= yes
ARGS ?=

BIN := .venv/bin
LOCK := .cache/lock
LOWEST := .cache/lowest
DOCS := .cache/docs/env
OTHER := .cache/with-$(notdir $(PYTHON))
THIS := $(if $(filter python3,$(PYTHON)),.venv,$(OTHER))
EXTRAS := --extra frames --extra graphs --extra plot --extra postgres --extra river --extra scale --extra serve

.DEFAULT_GOAL := help
.PHONY: help setup run serve torture takeovers power-cuts fuzz-service bench-service false-alarms long-streams warm quick test test-all test-lowest test-python test-sdist fuzz fuzz-readers facades lint format bench bench-page falsify verdicts \
    golden mutants docs lock lock-docs wheel clean

help: ## list the targets
	@echo "usage: make TARGET [ARGS='more arguments']"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

setup: .venv/.installed ## create .venv with the pinned requirements and both packages, editable

run: setup ## run the default learner on a built-in stream, and compile that one; ARGS go to `littlestone run`
	@$(BIN)/littlestone run $(ARGS)

serve: setup ## serve learners over HTTP, with a demo application; prints the address of the page; ARGS go to `littlestone serve`
	@$(BIN)/littlestone serve --demo --data .cache/demo $(ARGS)

torture: .venv/.installed ## kill -9 a server a thousand times under load (two hours): nothing acknowledged is lost; ARGS: how often
	@cd tests && LITTLESTONE_ENGINE=plain ../$(BIN)/python -m serve.torture $(or $(ARGS),1000)

takeovers: .venv/.installed ## kill or stop the process that works on PostgreSQL a hundred times: the standby takes over; ARGS: how often
	@cd tests && LITTLESTONE_ENGINE=plain ../$(BIN)/python -m serve.takeover $(or $(ARGS),100)

power-cuts: .venv/.installed ## ten thousand power cuts at any write of the log (a minute); ARGS: how many
	@cd tests && LITTLESTONE_ENGINE=plain ../$(BIN)/python -m serve.power $(or $(ARGS),10000)

fuzz-service: .venv/.installed ## ten thousand generated requests to the service (two minutes); ARGS: how many
	@cd tests && LITTLESTONE_ENGINE=plain ../$(BIN)/python -m serve.generated $(or $(ARGS),10000)

bench-service: .venv/.installed ## durable operations a second, beside Redis and pgbench; then a start with many learners and events
	@$(BIN)/python -m benchmarks.service $(ARGS)
	@$(BIN)/python -m benchmarks.service_start

false-alarms: .venv/.installed ## how often tests by betting ring for nothing, looked at after every round; ARGS: runs, and rounds of each
	@LITTLESTONE_ENGINE=plain $(BIN)/python -m tools.false_alarms $(ARGS)

long-streams: .venv/.installed ## play every learner over 100,000 rounds of one law: no loss rises (an hour); ARGS: learners
	@$(BIN)/python -m tools.long_streams $(ARGS)

warm: setup ## compile the learners that are met first, in every way that they are played, on all cores; or those in ARGS
	@$(BIN)/littlestone warm $(or $(ARGS),--usual)

quick: .venv/.installed ## run the quick tests: plain Python, no other process, no browser, a minute; ARGS go to pytest
	@$(BIN)/pytest -n 0 --quick $(ARGS)

test: .venv/.installed ## run the tests and doctests; ARGS go to pytest; BROWSER=no: without a browser
	@test "$(BROWSER)" = no || sh tools/chromium.sh
	@$(BIN)/pytest -n $(WORKERS) $(if $(filter no,$(BROWSER)),-m "not browser") $(ARGS)

test-all: ## run the tests that tests/exhaustive.txt lists as well: every compiled form of every learner
	@$(MAKE) test ARGS="--all $(ARGS)"

test-lowest: $(LOWEST)/.installed ## run the quick tests and the command line with the lowest versions that pyproject.toml admits
	@$(LOWEST)/bin/pytest -n $(WORKERS) --quick $(ARGS)
	@LITTLESTONE_ENGINE=plain $(LOWEST)/bin/pytest -n $(WORKERS) -m "not browser" -W ignore::DeprecationWarning $(LOWEST_TESTS)

# What the libraries are used for that the quick tests leave out: click, networkx, SciPy's graphs, River, pandas,
# matplotlib, dask. Old versions of some say that others have deprecated what they use.
LOWEST_TESTS := tests/cli/test_cli.py tests/graphs/test_graph.py tests/graphs/test_nearest.py tests/graphs/test_p_resistance.py \
    tests/graphs/test_resistance.py tests/graphs/test_solvers.py tests/graphs/test_classifiers.py tests/report/test_report.py \
    tests/interop/test_experts_elsewhere.py tests/report/test_frames_and_notebooks.py tests/scale

test-python: $(OTHER)/.installed ## run every test but those of the browser with another Python: make test-python PYTHON=python3.13
	@$(OTHER)/bin/pytest -n $(WORKERS) -m "not browser" $(ARGS)

test-sdist: .venv/.installed ## build the source distribution, unpack it, and run its quick tests there; ARGS go to pytest
	@rm -rf .cache/sdist && $(BIN)/python -m hatchling build -t sdist -d .cache/sdist
	@cd .cache/sdist && tar xzf littlestone-*.tar.gz && cd littlestone-*/ && \
	    PYTHONPATH="$$PWD/src:$$PWD/lectures/src" ../../../$(BIN)/pytest -n 0 --quick tests src lectures tests/docs/test_source_rules.py $(ARGS)

fuzz: .venv/.installed ## call live learners a million times with good and bad arguments; ARGS: how many calls
	@LITTLESTONE_ENGINE=plain $(BIN)/python tests/live/fuzz_live.py $(ARGS)

fuzz-readers: .venv/.installed ## read a million files with mistakes in them, of every format; ARGS: how many, a seed, formats
	@LITTLESTONE_ENGINE=plain $(BIN)/python tests/streams/fuzz_readers.py $(ARGS)

facades: .venv/.installed ## the checks of scikit-learn and River over every facade (a quarter of an hour)
	@LITTLESTONE_EVERY_FACADE=1 $(BIN)/pytest -n $(WORKERS) tests/interop/test_interop.py -k checks_it $(ARGS)

lint: .venv/.installed ## check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict src lectures/src
	$(BIN)/lint-imports --no-logo

format: .venv/.installed ## rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.installed ## measure, print a table, write JSON to benchmarks/out; ARGS go to the benchmarks
	@$(BIN)/python -m benchmarks $(ARGS)

bench-page: .venv/.installed ## make the wheel, measure anew what docs/benchmarks.md and docs/deployment.md show, and write their tables: a quarter of an hour on a quiet machine, after the wheel
	@$(MAKE) wheel
	@$(BIN)/python -m benchmarks --page $(ARGS)

falsify: .venv/.installed ## attack every theorem and statement, write docs/falsify; ARGS go to the campaign
	@$(BIN)/python -m littlestone_lectures.campaign --out docs/falsify --jobs 2 $(ARGS)

verdicts: .venv/.installed ## attack the verdicts of certificates: 100,000 hostile runs (20 minutes of a core), no false one; ARGS: runs and a seed
	@$(BIN)/python tools/verdicts.py $(ARGS)

golden: .venv/.installed ## compare the bits of every learner, played in every way, with those that are kept; ARGS="--engine compiled"
	@$(BIN)/python tools/golden.py --check $(ARGS)

mutants: .venv/.installed ## plant bugs in a copy of the sources and see which test catches each; ARGS go to tools/mutants.py
	@$(BIN)/python tools/mutants.py $(ARGS)

docs: .venv/.installed $(DOCS)/.installed ## write the generated pages, and build the site into docs/site: offline, no dead link
	@$(BIN)/python docs/build.py --site $(ARGS)
	@cd .cache/docs && env/bin/zensical build --strict --config-file zensical.toml
	@$(BIN)/python docs/build.py --finish

lock-docs: ## pin what builds the site in docs/requirements.txt
	@test -x $(LOCK)/bin/uv || { $(PYTHON) -m venv $(LOCK) && $(LOCK)/bin/python -m pip install -qq uv; }
	$(LOCK)/bin/uv pip compile docs/requirements.in --universal --upgrade --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --quiet --custom-compile-command "make lock-docs" --output-file docs/requirements.txt

lock: ## pin the newest versions that pyproject.toml admits in requirements.txt, the lowest in requirements-lowest.txt
	@test -x $(LOCK)/bin/uv || { $(PYTHON) -m venv $(LOCK) && $(LOCK)/bin/python -m pip install -qq uv; }
	$(LOCK)/bin/uv pip compile pyproject.toml --group dev $(EXTRAS) --universal --upgrade \
	    --python-version 3.11 --generate-hashes --no-emit-index-url --quiet \
	    --custom-compile-command "make lock" --output-file requirements.txt
	$(LOCK)/bin/uv pip compile pyproject.toml --group test $(EXTRAS) --resolution lowest-direct --upgrade \
	    --python-version 3.11 --python-platform linux --only-binary :all: --generate-hashes --no-emit-index-url --quiet \
	    --custom-compile-command "make lock" --output-file requirements-lowest.txt

wheel: $(THIS)/.installed ## build a wheel with the machine code of the usual learners in dist/; PYTHON=python3.12: for another Python; ARGS: --learners KEYS
	@$(THIS)/bin/python tools/wheel.py $(ARGS)

clean: ## remove .venv, caches and everything else that was built
	rm -rf .venv .cache .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .benchmarks
	rm -rf build dist reports benchmarks/out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The requirements are pinned and hashed, wheels only; the package itself is then built with the
# pinned backend, so nothing unpinned is ever fetched.
.venv/.requirements: requirements.txt tools/venv.sh
	@PYTHON="$(PYTHON)" sh tools/venv.sh --require-hashes --only-binary :all: -r requirements.txt
	@touch $@

.venv/.installed: .venv/.requirements pyproject.toml lectures/pyproject.toml
	@PYTHON="$(PYTHON)" sh tools/venv.sh --no-deps --no-build-isolation --editable . --editable ./lectures
	@touch $@

$(LOWEST)/.installed: requirements-lowest.txt tools/venv.sh pyproject.toml lectures/pyproject.toml
	@VENV=$(LOWEST) PYTHON="$(PYTHON)" sh tools/venv.sh --require-hashes --only-binary :all: -r requirements-lowest.txt
	@VENV=$(LOWEST) PYTHON="$(PYTHON)" sh tools/venv.sh --no-deps --no-build-isolation --editable . --editable ./lectures
	@touch $@

$(DOCS)/.installed: docs/requirements.txt tools/venv.sh
	@VENV=$(DOCS) PYTHON="$(PYTHON)" sh tools/venv.sh --require-hashes --only-binary :all: -r docs/requirements.txt
	@touch $@

$(OTHER)/.installed: requirements.txt tools/venv.sh pyproject.toml lectures/pyproject.toml
	@VENV=$(OTHER) PYTHON="$(PYTHON)" sh tools/venv.sh --require-hashes --only-binary :all: -r requirements.txt
	@VENV=$(OTHER) PYTHON="$(PYTHON)" sh tools/venv.sh --no-deps --no-build-isolation --editable . --editable ./lectures
	@touch $@
