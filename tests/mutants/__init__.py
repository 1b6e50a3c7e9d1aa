"""Mutation testing: small faults are planted in the code, and the tests must notice them."""
