# Shardscope. `make` alone lists the commands; every one sets up what it needs first.

PY := .venv/bin/python
# The newest of these that runs and is 3.12 or newer makes the virtual environment.
PYTHONS := python3.14 python3.13 python3.12 python3 python
# Measuring has an environment of its own, with torch; any of these will do.
MEASURING := .venv-measure/bin/python
MEASURING_PYTHONS := python3.11 python3.12 python3.13 python3.14 python3
READY := .venv/.ready node_modules/.ready
# Two tests at a time where there are two processors; each worker has its own browser and its own built site.
# What fails runs once more: a busy machine can starve a browser. The summary names each as a RERUN.
SIDE_BY_SIDE := -n auto --maxprocesses 4 --dist worksteal --reruns 1 -raR
PURE := tests/model tests/widgets
FAST := $(PURE) tests/checks

.DEFAULT_GOAL := help
.PHONY: help setup vendor browser build serve test test-fast test-all test-oldest protections check format messages golden bench measure test-measure lighthouse lock audit clean
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

help: ## List the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | \
	  while IFS='|' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

setup: $(READY) ## Install the pinned Python and npm packages

.venv/.ready: requirements.txt
	@for p in $(PYTHONS); do \
	  if $$p -c 'import sys; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1; then \
	    exec $$p scripts/setup.py python; fi; done; \
	echo "setup: Python 3.12 or newer is needed, and none was found (tried: $(PYTHONS))." >&2; exit 1

node_modules/.ready: package-lock.json .npmrc requirements-node.txt .venv/.ready
	@$(PY) scripts/setup.py node

vendor: $(READY) ## Gather what the site redistributes into build/vendor
	@$(PY) -m scripts.vendor

browser: $(READY) ## Find the browsers for the tests, or install Chromium (with CI=true, all)
	@$(PY) -m scripts.browser

build: $(READY) ## Build the site into build/site, for the address in SITE_URL
	@$(PY) -m scripts.build

serve: $(READY) ## Serve the lesson on a local address; a change reloads it
	@$(PY) -m scripts.serve

test: $(READY) browser ## Run every test
	@$(PY) -m pytest $(SIDE_BY_SIDE)

test-fast: $(READY) ## Run what needs no browser, and the checks
	@$(PY) -m pytest $(FAST) -m "not long"
	@$(MAKE) check

test-all: $(READY) browser check ## Run everything in full, on the oldest supported Python too
	@$(MAKE) test-oldest
	@FULL=1 $(PY) -m pytest $(SIDE_BY_SIDE)

test-oldest: ## Test model and widgets on the oldest Python they support
	@sh scripts/oldest.sh $(PURE)

protections: $(READY) browser ## Take each protection away, and see its tests fail (ONLY="U13 U14" for some)
	@$(PY) -m tests.protections $(ONLY)

check: $(READY) ## Lint the code and the workflows
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m scripts.check

format: $(READY) ## Format the Python code
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .

messages: $(READY) ## Collect every visible string into the message catalogue
	@$(PY) -m scripts.site.messages

golden: $(READY) ## Write the golden table of plans anew; its diff shows what moved
	@$(PY) -m tests.model.golden

bench: $(READY) browser ## Measure pages, starts, changes and the model beside their rivals
	@$(PY) -m scripts.bench

.venv-measure/.ready: scripts/measure/requirements.txt scripts/measure/requirements-test.txt
	@for p in $(MEASURING_PYTHONS); do \
	  if $$p -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    echo "measure: $$p: making .venv-measure with torch"; \
	    rm -rf .venv-measure && $$p -m venv .venv-measure \
	    && $(MEASURING) -m pip install --quiet --disable-pip-version-check -r scripts/measure/requirements-test.txt \
	    && touch $@; exit; fi; done; \
	echo "measure: Python 3.11 or newer with venv is needed, and none was found (tried: $(MEASURING_PYTHONS))." >&2; exit 3

measure: .venv-measure/.ready ## Measure what this machine can with torch, into docs/measured, and compare
	@$(MEASURING) -m scripts.measure run; failed=$$?; \
	  $(MEASURING) -m scripts.measure collect && $(MEASURING) -m scripts.measure compare && exit $$failed

test-measure: .venv-measure/.ready ## Test the measuring, and the model against torch on the processor
	@OMP_NUM_THREADS=1 $(MEASURING) -m pytest -c scripts/measure/pytest.ini --rootdir . tests/measure

lighthouse: $(READY) browser ## Judge every page by Lighthouse
	@$(PY) -m scripts.lighthouse

lock: $(READY) ## Resolve requirements*.in and package.json again
	@sh scripts/lock.sh

audit: $(READY) ## Look up known flaws in the pinned packages (asks public services)
	@sh scripts/audit.sh

clean: ## Remove everything that was generated
	@rm -rf .venv .venv-oldest .venv-measure node_modules build .pytest_cache .ruff_cache
	@find model widgets scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +
