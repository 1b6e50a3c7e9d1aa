"""The command line: `parlour ...`."""
