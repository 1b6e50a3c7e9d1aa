"""Speed: what is measured, and the page of a record."""
