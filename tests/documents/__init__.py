"""What the documents say beside what the code is: each check yields what is wrong, a line each.

`tests/test_documents.py` makes the checks; `tests/drifts.toml` has faults that they must find.
"""

from collections.abc import Iterator

from .commands import missing_commands, wrong_commands
from .figures import stale_pages, unrecorded
from .games import wrong_fields, wrong_rules, wrong_settings
from .links import dead_links, outside_the_menu
from .names import unknown_names
from .tree import Tree

CHECKS = (
    dead_links,
    wrong_commands,
    missing_commands,
    unknown_names,
    wrong_settings,
    wrong_fields,
    wrong_rules,
    outside_the_menu,
    unrecorded,
    stale_pages,
)


def faults(tree: Tree) -> Iterator[str]:
    """All that is wrong."""
    for check in CHECKS:
        yield from check(tree)
