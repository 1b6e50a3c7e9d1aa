"""Speed: what is measured, and how."""
