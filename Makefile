# make demo | make test | make check: each makes .venv when it is missing and installs all it needs.
# Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.installed
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check install --constraint constraints.txt

DEMO := runs/demo
PARLOUR := $(VENV)/bin/parlour

.PHONY: install demo test check

install: $(READY)

test: $(READY)
	$(VENV)/bin/python -m pytest -n 2 --dist worksteal

# Learns from nothing for three minutes, is measured, and plays a game that it comments on.
demo: $(READY)
	$(PARLOUR) train dqn president --minutes 3 --against random,lowest --points 6 --out $(DEMO)
	$(PARLOUR) watch president --players $(DEMO)/checkpoint.pt,lowest,lowest,lowest --seed 1
	@echo
	@echo 'The learning curve is $(DEMO)/curve.png, what was measured $(DEMO)/checkpoint.md. Now try:'
	@echo '  $(PARLOUR) games'
	@echo '  $(PARLOUR) train dqn president --help'
	@echo '  $(PARLOUR) evaluate president $(DEMO)/checkpoint.pt --against lowest --deals 5000'

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
