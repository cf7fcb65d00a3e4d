"""The test kit: checks that a game works, whoever wrote it.

    import rulestone
    from rulestone.testing import cases, check_game

    game = rulestone.load("path/to/my_game")
    check_game(game)  # default options, usual number of players
    for case in cases(game):  # every number of players, every value of every option
        check_game(game, case.players, case.options)

From the shell, run `rulestone check GAME`. In pytest, run `pytest --pyargs rulestone.testing.suite --rulestone-game GAME`, or parametrise
your own test with `cases`. GAME is a name or a folder. A failure names the seed and the moves that reproduce it.
"""

from rulestone.testing.contract import Case, ContractError, cases, check_game, check_lesson

__all__ = ["Case", "ContractError", "cases", "check_game", "check_lesson"]
