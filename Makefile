# make demo | make test | make check: each makes .venv when it is missing and installs all it needs.
# Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.installed
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check install --constraint constraints.txt

DEMO := runs/demo
MINUTES ?= 3
# Torch with a second thread is slower, not faster, wherever anything else uses the other core.
THREADS ?= 1
PARLOUR := $(VENV)/bin/parlour

.PHONY: install demo test test-long check tournaments mutants

install: $(READY)

test: $(READY)
	$(VENV)/bin/python -m pytest -n 2 --dist worksteal

# The full counts of what `test` runs a part of.
test-long: $(READY)
	$(VENV)/bin/python -m pytest -n 2 --dist worksteal -m long

# Plants faults in the code and looks whether the tests notice; stopped, it goes on where it was.
# After tests were added: make mutants RETRY=--retry
mutants: $(READY)
	$(PIP) --editable '.[mutants]'
	$(VENV)/bin/python -m tests.mutants $(RETRY)

# Learns from nothing, is measured, and plays a game that it comments on; for a first look:
# make demo MINUTES=1
demo: $(READY)
	@echo '== learning President from nothing, for $(MINUTES) minutes'
	$(PARLOUR) train dqn president --minutes $(MINUTES) --out $(DEMO) \
		--opponents lowest,random --opponent-weights 1,0.4 --threads $(THREADS) \
		--against random,lowest,planner --points 12 --point-deals 250 --deals 2500
	@echo
	@echo '== one game: what it learned (player 0) against three that play their lowest card'
	$(PARLOUR) watch president --players $(DEMO)/checkpoint.pt,lowest,lowest,lowest --seed 1
	@echo
	@echo 'The learning curve is $(DEMO)/curve.png, what was measured is in $(DEMO)/checkpoint.md.'
	@echo 'Against equals it would come first in 25 of 100 games. Now try:'
	@echo '  make demo MINUTES=15'
	@echo '  $(PARLOUR) watch president --players human,$(DEMO)/checkpoint.pt,planner,dqn --seat 0'
	@echo '  $(PARLOUR) evaluate president $(DEMO)/checkpoint.pt --against dqn --deals 2500'
	@echo '  $(PARLOUR) games'

# One tournament of each game by its scripted players; stopped, it goes on where it was.
tournaments: $(READY)
	mkdir -p runs
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
