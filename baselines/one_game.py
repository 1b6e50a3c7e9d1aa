"""One game by players in any form that `make_policy` takes."""

from collections.abc import Sequence

from ..envs.core.catalogue import as_game
from ..envs.core.game import Game
from ..envs.core.play.playthrough import Playthrough
from .players.making import named_policies
from .policies.policy import PolicySpec


def play(
    game: Game | str, players: PolicySpec | Sequence[PolicySpec], seed: int = 0
) -> Playthrough:
    """Play a game to its end; return it with its `actions` and its `returns` [seats].

    `players` is one player for all seats, or a list with one for each, in any form that
    `make_policy` takes. The same seed gives the same game. Raises ValueError for an unknown player
    and for a wrong number of them::

        >>> import parlour
        >>> game = parlour.load_game("president", num_players=2)
        >>> played = parlour.play(game, ["lowest", "random"], seed=7)
        >>> game.action_name(played.actions[0])
        '3x2'
        >>> played.returns
        array([ 1., -1.])
    """
    game = as_game(game)
    playthrough = Playthrough(game, named_policies(players, game), seed)
    for turn in playthrough:
        turn.choose()
    return playthrough
