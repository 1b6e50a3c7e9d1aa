"""The imports in the documents: from the public modules alone."""

import re
from collections.abc import Iterator

from .tree import FENCED, Tree, game_of

PUBLIC = {
    *("parlour", "parlour.envs", "parlour.policies", "parlour.arena", "parlour.training"),
    "parlour.envs.authoring",  # for authors of games
}
IMPORT = re.compile(r"^ *(?:from|import) (parlour(?:\.\w+)*)\b", re.MULTILINE)


def deep_imports(tree: Tree) -> Iterator[str]:
    """A page imports from the public modules; that of a game also from the game's folders."""
    for page in tree.pages():
        own = tuple(f"parlour.{place}.{game_of(page)}" for place in ("envs", "baselines"))
        for _, body in FENCED.findall(tree.text(page)):
            for module in IMPORT.findall(body):
                if module not in PUBLIC and not module.startswith(own):
                    yield f"{page}: imports from {module}, which is not public"
