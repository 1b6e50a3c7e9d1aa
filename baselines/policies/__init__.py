"""The class `Policy`, settings of policies, and the list of players of a game's folder."""
