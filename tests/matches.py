"""Several matches in one compiled loop: compiling takes longer than playing them."""

from collections.abc import Sequence

from parlour.baselines.arena.play.batches import Contest
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.arena.play.match import DEFAULT_PLAN, MatchResult, deal_seeds, result_of
from parlour.baselines.arena.play.playing import play_contests
from parlour.envs.core.game import Game


def play_matches(
    game: Game, pairs: Sequence[tuple[str, str]], num_deals: int, seed: int = 0
) -> list[MatchResult]:
    """What `play_match` gives for each pair."""
    contests = [Contest(enter(pair, game), "field") for pair in pairs]
    played = play_contests(game, contests, deal_seeds(seed, num_deals), DEFAULT_PLAN)
    return [result_of(game, one) for one in played]
