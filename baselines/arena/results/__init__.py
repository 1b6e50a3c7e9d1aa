"""Where results go: the store, what a stored result depends on, files and pages for readers."""
