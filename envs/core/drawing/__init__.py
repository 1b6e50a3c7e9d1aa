"""Pictures of positions: shapes, cards, tables, and how they are rendered."""
