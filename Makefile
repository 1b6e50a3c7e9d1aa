# make demo | make test | make check: each makes .venv when it is missing and installs all it needs.
# Another interpreter: make test PYTHON=python3.12 VENV=.venv-3.12

# Python keeps its byte code, as it does by default: many tests start it anew.
export PYTHONDONTWRITEBYTECODE :=

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.installed
CONSTRAINTS := constraints.txt
# Most of what is installed is never imported: Python compiles the rest when it is.
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check install --no-compile \
	--constraint $(CONSTRAINTS)

DEMO := runs/demo
MINUTES ?= 3
THREADS ?= 2
PARLOUR := $(VENV)/bin/parlour

.PHONY: install demo docs test quick oldest test-long check league tournaments mutants

install: $(READY)

# Three processes for two cores, here and below: many tests wait, for others that they start.
test: $(READY)
	@echo '== the tests: 20 to 30 minutes on two cores where nothing is compiled yet'
	@$(VENV)/bin/python -m pytest -n 3 --dist worksteal

# A part of them, to see whether another interpreter does: make quick PYTHON=python3.13 VENV=.venv-3.13
QUICK := interpreters golden transcript rng checkpoint match
quick: $(READY)
	@$(VENV)/bin/python --version
	@$(VENV)/bin/python -m pytest -n 3 --dist worksteal $(QUICK:%=tests/test_%.py) \
		tests/arena/test_ratings.py tests/arena/test_sandbox_cost.py

# The tests with the lowest version of each range in setup.cfg; torch is the tested one, because PyPI
# has no small builds of older ones.
OLDEST := .venv-oldest
oldest:
	@mkdir -p $(OLDEST)
	@sed -nE '/^install_requires/,/^$$/ s/^    ([A-Za-z0-9_-]+)>=([0-9.]+).*/\1==\2/p' setup.cfg | \
		grep -v ^torch== > $(OLDEST)/lowest.txt
	@grep ^torch== constraints.txt >> $(OLDEST)/lowest.txt
	$(MAKE) test VENV=$(OLDEST) CONSTRAINTS=$(OLDEST)/lowest.txt

# The full counts of what `test` runs a part of.
test-long: $(READY)
	@echo '== the long tests: 12 to 20 minutes on two cores after make test'
	@$(VENV)/bin/python -m pytest -n 3 --dist worksteal -m long

# Plants faults in a copy of the last commit and looks whether the tests notice: an hour or two, and
# again that long to find out which tests are quick in plain Python. Stopped, it goes on where it was.
# For another commit or sample, remove runs/mutants: make mutants SAMPLE='--size 80 --seed 1'
mutants: $(READY)
	$(PIP) --editable '.[mutants]'
	$(VENV)/bin/python -m tests.mutants $(SAMPLE)

# Learns from nothing by playing itself, and is measured against two scripts that it never meets in
# training; for a first look: make demo MINUTES=1
demo: $(READY)
	@echo '== learning President by self-play, for $(MINUTES) minutes'
	@$(PARLOUR) train ppo president --minutes $(MINUTES) --out $(DEMO) --overwrite \
		--num-threads $(THREADS) --first-place-weight 0.6 --learning-rate 2e-3 \
		--evaluate-against lowest,planner --points 6 --point-deals 500 --deals 5000
	@echo 'The learning curve: $(DEMO)/curve.png'
	@echo 'Play against it: $(PARLOUR) play president --text --players $(DEMO)/checkpoint.pt'

# The documentation site, from docs/pages, the games and their READMEs, the code and recorded results.
docs: $(READY)
	$(PIP) --quiet --editable '.[docs]'
	@$(VENV)/bin/python -m docs.site.build

# All players that ship, in every game with every number of seats; stopped, it goes on where it was.
# More deals are added to those already played: make league DEALS=1000 SEARCH_DEALS=100
DEALS ?= 300
SEARCH_DEALS ?= 20
league: $(READY)
	mkdir -p runs
	$(PARLOUR) league --deals $(DEALS) --search-deals $(SEARCH_DEALS) --workers 2 \
		--store runs/league.db --out docs/league --readmes

# The league, then one long tournament of each game by its scripted players.
tournaments: league
	$(PARLOUR) tournament all --deals 10000 --workers 2 --store runs/tournaments.db --out docs/tournaments
	$(PARLOUR) tournament trick_taking --scoring duplicate --deals 10000 --workers 2 \
		--store runs/tournaments.db --out docs/tournaments/trick_taking_duplicate

check: $(READY)
	.ci/run

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Parlour needs Python 3.11 or later; choose one with: make PYTHON=/path/to/python' >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2> /dev/null || \
		{ echo 'This Python cannot make environments; on Debian: apt install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Again only where what is to be installed has changed. Torch goes first, by itself: where pip finds
# a CPU build it takes that one, and nothing else asks for the far larger default.
$(READY): setup.cfg setup.py pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(PIP) torch
	$(PIP) --editable '.[test]'
	@touch $@
