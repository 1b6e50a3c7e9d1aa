"""Print all that is wrong: `python -m tests.documents`."""

from . import Tree, faults

print("\n".join(faults(Tree())))
