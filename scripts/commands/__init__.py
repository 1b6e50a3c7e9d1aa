"""The commands of `parlour`, one a file: each has a docstring, `add_arguments` and `run`."""
