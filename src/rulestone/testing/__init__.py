"""The universal test kit: one call checks the whole contract of any game, ours or a stranger's.

    from rulestone.testing import cases, check_game
    check_game(rulestone.load("path/to/my_game"))          # default options, usual number of players
    for case in cases(game): check_game(game, case.players, case.options)

From the shell: `python -m rulestone.testing NAME_OR_FOLDER`. In pytest: `pytest --rulestone-game NAME_OR_FOLDER`, or parametrise a
test with `cases`. A failure names the seed and the moves that reproduce it.
"""

from rulestone.testing.contract import Case, ContractError, cases, check_game, check_lesson

__all__ = ["Case", "ContractError", "cases", "check_game", "check_lesson"]
