"""Sarpedon in three minutes. The learner is Red."""

from rulestone.lesson import Position, Step

from .content import COLOURS, MYSTERY_TILE, PLAYERS, SLOTS, TILES
from .rules import BARE, FACE_DOWN, FACE_UP, PROTECT, REMOVED, SAVED, SAVED_P, SHARD, SHRIEK, STONE, SWAP, TO_STONE, TRAP

KINDS = {"t": TRAP, "s": SHRIEK, "m": SHARD}
RED, YELLOW, GREEN, BLUE = range(PLAYERS)
HARMLESS = (16, 13, 1, 5, 9, 15, 14, 12, 10, 6, 11, 2, 7, 3, 8, 4)  # the usual order of a deck: the corners first
HELPED = {(YELLOW, 11): SAVED_P, (RED, 6): SAVED, (GREEN, 4): SAVED, (BLUE, 3): SAVED, (BLUE, 8): SAVED}  # late in the game


def at(pos, drawn, coming=None, mystery=None, special=None, **fields):
    """Red is to move. By quadrant: `drawn`, the cards on the table, the last one last; `coming`, the next cards; `mystery`, what is on
    tiles 2, 3 and 7 ("tsm": a trap, a Shriek and a mirror shard; capitals have been turned over). By (quadrant, tile): `special`, the
    small Special Cards on the board.
    """
    cover, decks, states, kinds = ([] for _ in range(4))
    for quadrant in range(PLAYERS):
        cards = dict.fromkeys([*drawn[quadrant], *(coming or {}).get(quadrant, ()), *HARMLESS])
        decks.append(list(cards))
        stone = dict.fromkeys(drawn[quadrant], STONE)
        cover.append([(special or {}).get((quadrant, tile), stone.get(tile, BARE)) for tile in range(1, TILES + 1)])
        letters = (mystery or {}).get(quadrant, "tsm")
        kinds.append([KINDS[letter.lower()] for letter in letters])
        states.append([FACE_DOWN if letter.islower() else REMOVED if letter == "M" else FACE_UP for letter in letters])
        if "S" in letters:  # R37: it has swept tile 2
            states[-1] = [REMOVED if tile % 2 == 0 else state for tile, state in zip(MYSTERY_TILE, states[-1], strict=True)]
    known = [[int(states[quadrant][slot] != FACE_DOWN) for slot in range(SLOTS)] for quadrant in range(PLAYERS)]
    laid = {
        "pos": pos,
        "deck": decks,
        "dptr": [len(cards) for cards in drawn],
        "cover": cover,
        "mtype": kinds,
        "mstate": states,
        "mknown": known,
        "round": len(drawn[RED]),
        "last_draw": (RED, drawn[RED][-1], TO_STONE),
    }
    return Position(fields={**laid, **fields})


def swapped(view, move):
    quadrant = COLOURS[view.state.quad[move.args[0]]]
    return f"You're in the {quadrant} quadrant now and draw from its deck. Your Special Cards and shards stay with you."


STEPS = [
    Step(
        "You are Red. With three friends, you want to reach Medusa's throne room in the middle: tile 4 of every quadrant. "
        "Take a step towards yours.",
        at=at((13, 13, 13, 13), ((16,), (), (), ()), coming={BLUE: (12,)}),
        expect=["move 9", "move 14"],
        right="One step a turn. Now your friends take theirs: you all win together, or you all lose.",
        wrong={"pass": "You may always pass, but let's get going.", "": "Keep your Special Cards for later. For now, take a step."},
        glow=["tile-0-9", "tile-0-14"],
        then=["move 14", "move 9", "move 14"],
    ),
    Step(
        "Every turn starts with a card: it turns a tile of your quadrant to stone. This time it's tile 6. "
        "You can't step onto stone, so go around it.",
        at=at((10, 10, 5, 15), ((16, 13, 6), (16, 13), (16, 15), (12, 13)), coming={RED: (5,)}),
        expect=["move 11"],
        right="Well done. Your quadrant gets narrower with every turn, so don't dawdle.",
        wrong={
            "move 9": "You can get around it there too, but that way is longer. Try the other side.",
            "move 14": "That leads back to your start. Go up or to the right.",
            "": "Save Tile could break the stone, but you have it only once. Walk around it.",
            "pass": "Don't wait: every turn costs you a tile.",
            "protect": "You may need that card later. For now, walk around the stone.",
        },
        then=["move 11", "move 6", "move 11"],
    ),
    Step(
        "The cards with a question mark are Mystery Cards. If you step onto one, you turn it over. Try the one on tile 7.",
        expect=["move 7"],
        right="A Mirror Shard! There are four of them, one in each quadrant. Each gives you one chance in four to beat Medusa.",
        wrong="Step onto tile 7, right above you.",
    ),
    Step(
        "Yellow drew the tile under their own feet, so Yellow is frozen and loses the next turn too. "
        "Help with a Special Card: choose Save Player, then Yellow.",
        at=at(
            (7, 11, 6, 11),
            ((16, 13, 6, 5), (16, 13, 11), (16, 15, 13), (12, 13, 1)),
            mystery={RED: "tsM"},
            frozen=[0, 1, 0, 0],
            shards=[1, 0, 0, 0],
        ),
        expect=["save_player 1"],
        right="Yellow can act again. Using a card takes your whole turn, and each of your three works only once.",
        wrong={
            "save_tile": "Save Tile only breaks the stone. It takes Save Player to free a friend.",
            "": "Yellow would lose another turn. Choose the card Save Player, then Yellow's tile.",
        },
        then=["move 12"],
    ),
    Step(
        "Your tile 4 has just turned to stone, and your way is closed! See whether the Mystery Card on tile 3 can help.",
        at=at(
            (7, 12, 7, 7),
            ((16, 13, 6, 5, 8, 4), (16, 13, 11, 1, 15), (16, 15, 13, 9, 12), (12, 13, 1, 16, 14)),
            mystery={RED: "tsM", GREEN: "tsM", BLUE: "msT"},
            special={(YELLOW, 11): SAVED_P},
            has=[3, 7, 7, 7],
            shards=[1, 0, 1, 0],
        ),
        expect=["move 3"],
        right="Medusa's Shriek! It sweeps all cards off your quadrant's even tiles. Tile 4 is open, but the card on tile 2 is lost.",
        wrong={"save_tile 0 4": "That would open it, too. But first try what costs nothing: the Mystery Card.", "": "Step onto tile 3."},
    ),
    Step(
        "You stepped onto tile 7 and turned over a Magic Trap. Choose a friend to swap places with.",
        at=at(
            (7, 12, 6, 7),
            ((16, 13, 6, 5, 1, 9), (16, 13, 11, 1, 15), (16, 15, 13, 9, 12), (12, 13, 1, 16, 14)),
            mystery={RED: "smT", BLUE: "msT"},
            special={(YELLOW, 11): SAVED_P},
            has=[3, 7, 7, 7],
            phase=SWAP,
        ),
        expect=["swap 1", "swap 2", "swap 3"],
        right=swapped,
        glow=["tile-1-12", "tile-2-6", "tile-3-7"],
    ),
    Step(
        "Stone on both sides of Blue's tile 4! If one of you can't get to the throne room, you all lose. "
        "Use Save Tile and break the stone on 3 or 8.",
        at=at(
            (10, 12, 6, 7),
            ((16, 13, 6, 5, 1), (16, 13, 11, 1), (16, 15, 13, 9), (12, 13, 3, 8)),
            mystery={BLUE: "msT"},
            special={(YELLOW, 11): SAVED_P},
            has=[3, 7, 7, 7],
        ),
        expect=["save_tile 3 8", "save_tile 3 3"],
        glow=["special-0-1", "tile-3-8", "tile-3-3"],
        right="The way is open again, and this tile never turns back to stone. Your cards work in every quadrant.",
        wrong={
            "save_tile": "That stone isn't in Blue's way. Break the one on Blue 3 or Blue 8.",
            "": "Help Blue first: choose Save Tile, then the stone on Blue 3 or Blue 8.",
        },
    ),
    Step(
        "Tile 8 is Green's last way in, nobody has a Save Tile left, and the 8 is still in Green's deck. "
        "Make sure that it does no harm: use Protect Tile.",
        at=at(
            (11, 8, 12, 4),
            ((16, 13, 6, 5, 1, 9, 14), (16, 13, 11, 1, 15, 14), (16, 3, 13, 9, 4, 10), (12, 13, 3, 8, 16, 1)),
            coming={YELLOW: (9,), GREEN: (8,)},
            mystery={YELLOW: "tMs", BLUE: "MsT"},
            special=HELPED,
            has=[1, 5, 5, 5],
            shards=[0, 1, 0, 1],
        ),
        expect=["protect 2 8"],
        right="Just in time: Green draws the 8, and nothing happens. But don't protect a hidden Mystery Card: it would be lost.",
        wrong={"protect": "Protect the tile between Green and the throne room: Green 8.", "": "Green needs help now: protect Green 8."},
        then=["move 4"],
    ),
    Step(
        "The throne room is next to you, but once you're in, you stay. You've found Red's Trap and Red's Shriek. "
        "What's the third card? Look first.",
        at=at(
            (8, 4, 8, 4),
            ((13, 5, 1, 9, 16, 6, 14, 12), (16, 13, 11, 1, 15, 14, 9), (16, 3, 13, 9, 4, 10, 8), (12, 13, 3, 8, 16, 1, 15)),
            mystery={RED: "TSm", YELLOW: "tMs", BLUE: "MsT"},
            special={**HELPED, (GREEN, 8): PROTECT},
            has=[0, 5, 5, 5],
            shards=[0, 1, 0, 1],
        ),
        expect=["move 7"],
        right="The shard, of course: every quadrant has one Trap, one Shriek and one shard.",
        wrong={"move 4": "Then Red's shard is out of reach for good. Fetch it first: tile 7.", "": "The last hidden card is on tile 7."},
    ),
    Step(
        "Your friends are waiting, and you have 3 of the 4 shards. Step in! The battle starts at once: "
        "you roll a four-sided die and win with 3 or less.",
        at=at(
            (8, 4, 4, 4),
            ((13, 5, 1, 9, 16, 6, 14, 11, 10), (16, 13, 11, 1, 15, 14, 9, 5), (16, 3, 13, 9, 4, 10, 8, 1), (12, 13, 3, 8, 16, 1, 15, 5)),
            mystery={RED: "TSM", YELLOW: "tMs", BLUE: "MsT"},
            special={**HELPED, (GREEN, 8): PROTECT},
            has=[0, 5, 5, 5],
            shards=[1, 1, 0, 1],
        ),
        expect=["move 4"],
        right="You win, all four of you! With all four shards you don't even roll; without any you lose.",
        wrong="Everything is ready. Step onto tile 4.",
        rng=1,
    ),
    Step(
        "One last tip: the numbers beside a deck are the tiles that can still turn to stone. Make your plans with them, "
        "and don't stay out too long. You know it all: play a real game!",
        at=at((13, 13, 13, 13), ((16,), (), (), ())),
        glow=["deck-0"],
    ),
]
