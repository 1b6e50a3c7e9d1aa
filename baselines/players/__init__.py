"""Policies, and players by name: how each is listed, made and checked."""
