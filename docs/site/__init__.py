"""The documentation site: `make docs` writes its pages and builds them with Sphinx."""
