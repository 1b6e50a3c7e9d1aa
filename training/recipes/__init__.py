"""The same task in the frameworks of others, a short file each."""
