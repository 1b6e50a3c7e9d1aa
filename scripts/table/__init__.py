"""The table: a server behind a page in the browser, where people, players and programs play."""
