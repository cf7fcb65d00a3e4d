"""Micro Medusa in three minutes. The learner is first the Champion, then Medusa."""

import re

from rulestone.lesson import Position, Step

from .content import COPIES, DEALT, SHAPE, STACK, TURNED
from .rules import (
    ACTIVE,
    BLADE,
    CHAMPION_DRAFT,
    EYEBALL,
    HEART,
    MEDUSA_DRAFT,
    NONE,
    PLACE,
    RESPOND,
    SHIELD,
    SNAKEHEAD,
    TORCH,
)

LETTERS = "HES"  # Snakehead, Eyeball, Snake Section


def counts(letters):
    return [letters.count(letter) for letter in LETTERS] + [0, 0]


def at(phase, board="", hand="HES", down="", market="HESS", top="", secret="", captured=0, drafted=BLADE):
    """The first turn of a round. On the `board`, "S8r0" is a Section on space 8, rotated by 0 sides, and "xE4" a flipped Eyeball.
    `down`: the face-down tile and its space, "H1". `top`: the next tiles of the stack. `secret`: the tile that only Medusa knows.
    """
    tiles = [re.fullmatch(r"(x?)([HES])(\d+)(?:r(\d))?", word).groups() for word in board.split()]
    kinds = [LETTERS.index(letter) for _, letter, _, _ in tiles]
    masks = [
        0 if flipped else int(TURNED[0, SHAPE[0, 0, kind], int(turn)]) for kind, (flipped, _, _, turn) in zip(kinds, tiles, strict=True)
    ]
    alive = [kind for kind, mask in zip(kinds, masks, strict=True) if mask]
    gone = "".join(LETTERS[kind] for kind in kinds) + hand + down[:1] + market + top + "H" * captured
    rest = [kind for kind in range(len(LETTERS)) for _ in range(COPIES[kind] - gone.count(LETTERS[kind]))]
    stack = rest + [LETTERS.index(letter) for letter in reversed(top)]
    armed = phase not in (MEDUSA_DRAFT, CHAMPION_DRAFT)

    def column(first, values):
        return [first, *values, *[0] * (sum(COPIES) - len(values))]

    fields = {
        "phase": phase,
        "round": (len(tiles) + captured) // 2 + 1,
        "t_cell": column(0, [int(cell) for _, _, cell, _ in tiles]),
        "t_kind": column(5, kinds),
        "t_mask": column(63, masks),
        "t_blocked": column(0, [int(not mask) for mask in masks]),
        "n_tiles": 1 + len(tiles),
        "heads": alive.count(SNAKEHEAD),
        "hits": alive.count(EYEBALL),
        "live": ACTIVE[HEART] - alive.count(EYEBALL),
        "captured": captured,
        "hand": counts(hand),
        "known": counts((hand + down[:1]).replace(secret, "", 1)),
        "secret": DEALT if secret else 0,
        "fd_kind": LETTERS.index(down[0]) if down else NONE,
        "market": [LETTERS.index(letter) for letter in market],
        "stack": stack + [NONE] * (STACK - len(stack)),
        "stack_n": len(stack),
        "drafted": drafted if armed else NONE,
        "equip": [armed + (armed and drafted == weapon) for weapon in (BLADE, SHIELD, TORCH)],
    }
    if down:
        fields["fd_cell"] = int(down[1:])
    return Position(fields=fields)


def answer(weapon):
    """The weapon, on any space."""
    return lambda view, move: move.verb == "respond" and move.args[0] == weapon


def place(kinds, *spaces):
    """One of these tiles on one of these spaces."""
    return [f"place {kind} {space}" for kind in kinds for space in spaces]


STEPS = [
    Step(
        "You're the Champion. Medusa places her tiles face down, and you guess what they are. "
        "This time it's easy: all she holds is Snakeheads. The Blade beats them: choose it, then a space next to the tile.",
        at=at(RESPOND, "xS3", hand="HH", down="H1", market="EESS", captured=1),
        expect=answer(BLADE),
        glow=["gear-0"],
        right="Captured! With three captured Snakeheads you win.",
        wrong="That doesn't beat a Snakehead: it would stay on the table. Answer with the Blade.",
    ),
    Step(
        "The Shield beats an Eyeball, the Torch a Snake Section. You've seen Medusa draft two Eyeballs and a Section. "
        "An Eyeball without a Shield turns a Heart to stone, and you have only one left!",
        at=at(RESPOND, "E1r3 xS3", hand="ES", down="E5", market="HHSS"),
        expect=answer(SHIELD),
        glow=["gear-1"],
        right="Well guarded! The Eyeball is flipped and blocks its space for good.",
        wrong={"": "If it's an Eyeball, your last Heart turns to stone and you lose. Which weapon beats an Eyeball?"},
        then=["place S 2"],
    ),
    Step(
        "Medusa places a second tile. Your Shield stays on the table until the round ends, so you can't use it now. "
        "She has an Eyeball and a Section left. Which weapon can still help?",
        expect=answer(TORCH),
        glow=["gear-2"],
        right="Lucky: it was the Section, and it burns. If it had been the Eyeball, you would have lost.",
        wrong="The Blade beats only Snakeheads, and she has none. Hope for a Section!",
    ),
    Step(
        "That's why you take an extra tile before each round. Medusa has drafted two Snakeheads, and you don't know her third tile. "
        "Which tile do you take from the reserve?",
        at=at(CHAMPION_DRAFT, hand="HHE", secret="E"),
        expect=["equip Blade"],
        right="Now you have two Blades in this round. After it, everything goes back to its place.",
        wrong={
            "equip Heart": "A third Heart helps against Eyeballs, but you've seen two Snakeheads.",
            "": "That may help, too. But you've seen two Snakeheads, and one Blade stops only one.",
        },
    ),
    Step(
        "Medusa can only grow where a tress has an open end. Here she has placed a tile on her last one, "
        "and she holds nothing but Sections. Close it!",
        at=at(RESPOND, "xS1 xE2 xS3 xE4 xE5", hand="SS", down="S6", market="HHHE", captured=1),
        expect=answer(TORCH),
        glow=["gear-2"],
        right="Medusa is closed in: you win. You also win if you survive until her stack is empty.",
        wrong="Then the Section stays, and she can grow from it. The Torch burns it.",
    ),
    Step(
        "Now you are Medusa. You have two Snakeheads in play, and a third one wins. Draft one. "
        "The Champion sees what you draft, but doesn't know your secret tile.",
        at=at(MEDUSA_DRAFT, "H1r3 H3r5 E5r1 xS2", hand="E", secret="E", market="HSSE", top="SS"),
        expect=["draft H"],
        right="You draft a Section, too. The Champion has seen it all and takes a second Blade.",
        wrong="You could use that, but draft a Snakehead for now: it makes the Champion nervous.",
        then=["draft S", "equip Blade"],
    ),
    Step(
        "The Champion is waiting for your Snakehead. But there's only one Heart left, and nobody knows about your Eyeball. "
        "Choose it, then a glowing space.",
        expect=place("E", 4, 6),
        right="The Champion answers with the Blade. Wrong! The last Heart turns to stone, and you win.",
        wrong={
            **dict.fromkeys(place("H", 4, 6), "That's what the two Blades are for. Surprise the Champion with your secret tile."),
            "": "A Section would only grow. Your Eyeball wins at once if it meets no Shield.",
        },
        then=lambda view, move: [f"respond Blade {move.args[1] - 1}"],
    ),
    Step(
        "Nothing grows from Snakeheads and Eyeballs. You have just one open end left: which tile keeps you growing?",
        at=at(PLACE, "xS1 xE2 xS3 xE4 xE5", market="HHES", captured=1, drafted=SHIELD),
        expect=place("S", 6),
        right="The Blade doesn't stop it. A Section is a fork: it gives you two new open ends.",
        wrong="That's a dead end: if it stays, no open end is left and the Champion wins. Place the Section.",
        then=["respond Blade 5"],
    ),
    Step(
        "Your third way to win is a chain: three Sections in a row from your head, with a Snakehead or an Eyeball at the end. Finish it!",
        at=at(PLACE, "S1r1 xE4 S8r0 S9r1", market="HHES", drafted=TORCH),
        expect=place("HE", 22, 10),
        glow=["hand-0", "hand-1", "space-22", "space-10"],
        right="It meets the wrong weapon and stays: the chain is complete, and you win!",
        wrong={
            **dict.fromkeys(
                place("S", 22, 10), "A fourth Section makes the chain longer but doesn't end it. Take a Snakehead or an Eyeball."
            ),
            "": "Only an end of the third Section, the one on top, completes the chain.",
        },
        then=lambda view, move: ["respond Shield 1" if move.args[0] == SNAKEHEAD else "respond Blade 1"],
    ),
    Step(
        "The six signs at the top show how close both sides are to winning. Medusa bluffs, the Champion remembers what was drafted. "
        "You know it all: play a real game!",
        at=at(MEDUSA_DRAFT, hand="E", secret="E"),
        glow=[f"lamp-{name}" for name in ("heads", "stone", "chain", "captured", "ends", "stack")],
    ),
]
