"""Settings of Sphinx; the pages are those that `docs.site.build` has written."""

from pathlib import Path

from sphinx.application import Sphinx

import parlour
from docs.site.terms import IndexTerms

project = "Parlour"
author = "Parlour contributors"
version = release = parlour.__version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = f"Parlour {release}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).with_name("search_scorer.js"))
html_copy_source = False
html_show_copyright = False
html_last_updated_fmt = None
exclude_patterns = ["files"]
suppress_warnings = ["toc.not_included"]  # programs, models and tournaments are not in the menu


def setup(app: Sphinx) -> None:
    """Fill the index."""
    app.add_transform(IndexTerms)
