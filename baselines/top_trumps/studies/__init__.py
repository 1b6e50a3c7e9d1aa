"""Studies of Top Trumps: programs behind the README's figures."""
