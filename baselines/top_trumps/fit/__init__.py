"""Programs that fit what the searches of Top Trumps expect of a lead."""
