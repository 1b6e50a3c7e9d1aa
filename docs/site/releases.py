"""Release notes: a page for each version in CHANGELOG.md."""

import re

_VERSION = re.compile(r"^## \[([^\]]+)\](.*)\n", re.MULTILINE)


def release_pages(changelog: str) -> dict[str, str]:
    """Return the page that lists the versions, and the release notes of each, newest first."""
    about, *parts = _VERSION.split(changelog)
    pages = {
        f"release-{version.lower()}": f"# Release notes: {version}{date}\n{notes}".replace(
            "\n### ", "\n## "
        )
        for version, date, notes in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }
    listed = "\n".join(pages)
    return {"CHANGELOG": f"{about.rstrip()}\n\n```{{toctree}}\n{listed}\n```", **pages}
