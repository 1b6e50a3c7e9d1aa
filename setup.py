"""Makes the long description, and packs no module that is gone; all else is in setup.cfg.

The description is the README without what a package index cannot show: pictures of the checkout,
and links into it, which become plain text.
"""

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?:)[^)]*\)\n*")
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)")
CODE = re.compile(r"(```.*?```)", re.DOTALL)


def long_description(readme: str) -> str:
    """Return the README with the addresses of relative links taken out, but not in its code."""
    parts = CODE.split(readme)
    prose = [LINK.sub(r"\1", PICTURE.sub("", part)) for part in parts[::2]]
    parts[::2] = prose
    return "".join(parts)


class BuildFromNothing(build_py):
    """Copies the modules to be packed."""

    def run(self) -> None:
        """Remove what an earlier build has left first: all that is there is packed."""
        shutil.rmtree(Path(self.build_lib) / "parlour", ignore_errors=True)
        super().run()


if __name__ == "__main__":
    setup(
        long_description=long_description(Path(__file__).with_name("README.md").read_text()),
        cmdclass={"build_py": BuildFromNothing},
    )
