"""Games that were played: transcripts, and pages that replay them."""
