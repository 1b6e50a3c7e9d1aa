"""Drifts to plant, one at a time, in the pages, the recorded results or the text of the code."""

from __future__ import annotations

from typing import NamedTuple


class Drift(NamedTuple):
    """In the file `path` every `old` becomes `new`; in a picture a part is erased."""

    what: str
    path: str
    old: str
    new: str


DRIFTS = [
    # Fields and actions of a game's README.
    Drift("a field is renamed", "envs/president/README.md", "| `hand_sizes` |", "| `cards_left` |"),
    Drift("indices move", "envs/president/README.md", "| 35 - 38 |", "| 36 - 39 |"),
    Drift(
        "the range of a field",
        "envs/president/README.md",
        "| 1 | 0 .. 3 | whose",
        "| 1 | 0 .. 4 | whose",
    ),
    Drift("the shape of a field", "envs/notty/README.md", "| 2 x 40 |", "| 40 x 2 |"),
    Drift(
        "a field that prose names",
        "envs/president/README.md",
        "the field `passed`",
        "the field `locked`",
    ),
    Drift(
        "a field is renamed in the code", "envs/splendor/observation.py", "deck_left", "deck_sizes"
    ),
    Drift("indices of actions move", "envs/splendor/README.md", "| 42 - 53 |", "| 43 - 53 |"),
    Drift("an action's name", "envs/president/README.md", "(6)` is `2x4`", "(6)` is `2x5`"),
    # Settings.
    Drift(
        "the default of a setting",
        "envs/president/README.md",
        '**`"free"`**, `"out"`',
        '`"free"`, **`"out"`**',
    ),
    Drift(
        "a setting is renamed", "envs/notty/README.md", "| `hand_limit` | 5", "| `largest_hand` | 5"
    ),
    Drift(
        "the values of a setting",
        "envs/president/README.md",
        "| 2, **4**, 5, 8 |",
        "| 2, **4**, 6, 8 |",
    ),
    Drift(
        "the bound of a setting", "envs/president/README.md", "| **1** .. 100 |", "| **1** .. 50 |"
    ),
    # Rules.
    Drift(
        "the number of a rule",
        "envs/president/README.md",
        "a last play may be beaten (9)",
        "a last play may be beaten (19)",
    ),
    Drift(
        "a rule is left out",
        "envs/splendor/README.md",
        "12. At the end of the turn an empty slot",
        "At the end of the turn an empty slot",
    ),
    # Players.
    Drift("the best player", "README.md", "| `finisher`, learned", "| `x_defensive`, learned"),
    Drift(
        "a player that prose names",
        "docs/pages/players.md",
        "`alpha_beta` leads",
        "`alphabeta` leads",
    ),
    Drift(
        "a setting of a player",
        "docs/pages/players.md",
        "playout:num_playouts=100",
        "playout:playouts=100",
    ),
    Drift(
        "a player of a game's README",
        "envs/notty/README.md",
        "| `x_aggressive` | the move",
        "| `xaggressive` | the move",
    ),
    # Commands, options, names of Python.
    Drift("an option in a block", "docs/pages/play.md", "--html game.html", "--page game.html"),
    Drift("an option in prose", "docs/pages/arena.md", "--scoring duplicate", "--score duplicate"),
    Drift("a command in prose", "docs/pages/start.md", "`parlour warm`", "`parlour compile`"),
    Drift("a target of make", "Makefile", "test-long", "long-test"),
    Drift(
        "a keyword in prose", "docs/pages/training.md", '(`seat="random"`)', '(`place="random"`)'
    ),
    Drift(
        "a method in prose",
        "docs/pages/players.md",
        "`set_opponents` changes",
        "`change_opponents` changes",
    ),
    Drift(
        "a key of info", "docs/pages/environments.md", "| `illegal_action` |", "| `was_illegal` |"
    ),
    Drift(
        "a line that the code writes",
        "docs/pages/formats.md",
        "parlour transcript 1",
        "parlour transcript 2",
    ),
    # Versions.
    Drift("the version to cite", "docs/pages/cite.md", "{0.1.0}", "{0.2.0}"),
    Drift("the version of CITATION.cff", "CITATION.cff", "version: 0.1.0", "version: 0.0.9"),
    Drift("the lowest Python", "setup.cfg", "python_requires = >=3.11", "python_requires = >=3.12"),
    Drift("the version of an environment", "README.md", "`Notty-v0`", "`Notty-v1`"),
    Drift("an extra", "docs/pages/start.md", "[sb3,window]", "[sb3,windows]"),
    # Links and pictures.
    Drift("a dead link", "README.md", "(docs/pages/fit.md)", "(docs/pages/fitness.md)"),
    Drift("a dead anchor", "README.md", "start.md#a-first-agent", "start.md#first-agent"),
    Drift("a page outside the menu", "docs/pages/index.md", "\npositions\n", "\n"),
    Drift("a stale picture", "docs/president.gif", "", ""),
    # Figures.
    Drift("a figure of the README", "README.md", "first in 49.5 %", "first in 59.5 %"),
    Drift("an interval", "docs/pages/measured.md", "73.8 % [69.7, 77.5]", "73.8 % [69.7, 78.5]"),
    Drift("a speed", "README.md", "1.3 to 14.8 million", "1.3 to 24.8 million"),
    Drift(
        "a recorded result",
        "docs/league/president.json",
        '"num_games": 230800',
        '"num_games": 230900',
    ),
    # Code blocks.
    Drift(
        "a code block",
        "docs/pages/environments.md",
        "twin = copy.deepcopy(env)",
        "twin = env.deepcopy()",
    ),
    # Chosen later, by somebody who had not seen the checks.
    Drift("an autoreset mode", "docs/pages/environments.md", '"SameStep"', '"NextStep"'),
    Drift("the bits of a mask", "docs/pages/environments.md", "bit `a % 64`", "bit `a % 32`"),
    Drift("the default of a limit", "docs/pages/contest.md", "| 2,048 |", "| 4,096 |"),
    Drift("a column of a file", "docs/pages/formats.md", "`valued_by`", "`values_by`"),
    Drift("a table of a store", "docs/pages/formats.md", "`contest` (who", "`pairing` (who"),
    Drift("a limit with its unit", "docs/protocol.md", "4,096 bytes", "8,192 bytes"),
    Drift("a function's name", "docs/pages/how_loops.md", "`_step_rows`", "`_step_records`"),
    Drift("a subcommand", "docs/pages/play.md", "top_trumps batch", "top_trumps list"),
    Drift("a player", "docs/pages/measured.md", "`x_defensive`, the", "`x_defender`, the"),
    Drift("a count in prose", "docs/pages/agents.md", "client of 40 lines", "client of 90 lines"),
    Drift("a tool", "docs/pages/agents.md", "`next_game`\nand", "`new_game`\nand"),
    Drift("a player's time", "README.md", "of 1.8 microseconds", "of 0.8 microseconds"),
    Drift("a measured figure", "docs/pages/self_play.md", "first in 38.8", "first in 48.8"),
    Drift("a unit", "docs/pages/start.md", "six seconds", "six minutes"),
    Drift("a version of others", "docs/pages/language_models.md", "TRL 1.16", "TRL 1.61"),
    Drift("the anchor of a question", "docs/pages/questions.md", "#install", "#installing"),
    Drift("symbolic indices move", "envs/notty/README.md", "147 - n + 196", "148 - n + 197"),
    Drift("a range in prose", "envs/president/README.md", "`gives_left` to 3", "`gives_left` to 2"),
    Drift(
        "a default", "baselines/arena/ratings/sprt.py", "alpha: float = 0.05", "alpha: float = 0.01"
    ),
    Drift("another picture", "docs/tournaments/president/ratings.png", "", ""),
]
