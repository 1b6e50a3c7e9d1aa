"""Contest time: strangers' players in processes of their own, under limits, in bubblewrap."""
