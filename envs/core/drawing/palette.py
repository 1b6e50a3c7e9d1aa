"""The colours that the pictures of several games have in common."""

SHADOW = "#0000002e"
CLEAR = "#00000000"

# Cards and emblems
PAPER, PAPER_EDGE = "#fbf7ec", "#b9b09a"
BACK, BACK_LINE = "#28456e", "#6f8fbd"
GOLD, DARK_GOLD, LIGHT_GOLD = "#d9a441", "#8f6216", "#f0cb75"
NO_DOT = "#ffffff16"  # of a card that is not there

# The table
ROOM = "#17211e"
RIM, RIM_LIGHT = "#4a2f1d", "#6b4529"
FELT, FELT_LIGHT = "#174a39", "#1b5340"
PANEL, PANEL_EDGE = "#0e2b22", "#3d7d66"
CHALK, DIM_CHALK = "#e9efe6", "#b9d3c6"
YELLOW, YELLOW_INK, YELLOW_EDGE = "#f2c14e", "#2b1d05", "#fff1c4"
BUTTON, BUTTON_INK, BUTTON_EDGE = "#143d5c", "#ffffff", "#8fb4d4"
EMPTY, EMPTY_EDGE = "#ffffff0a", "#ffffff38"  # a place where a card can lie
LEGAL = "#58c8f2"  # the outline of what may be clicked
