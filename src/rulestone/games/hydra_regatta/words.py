"""What people read in the Hydra Regatta: cards, labels, prompts, plates, sentences, endings."""

from collections import Counter
from functools import cache

from rulestone.table import Card, Part, Plate, kit

from . import content, forecast, rules

MARKS = "●■▲◆"
PLACES = ("1st", "2nd", "3rd", "4th")
KIND_WORDS = ("Boat", "Lightning bolt", "Trident")
KIND_FEET = ("keep it for later", "strikes at once", "for another player")
KIND_RULES = ("R39", "R38", "R40")
ROUND, TO_SAIL, BUST, DICE_TITLES = "round", "to sail", "bust", ("navigation", "first", "second")
PILES, DOING = ("wedges", "Favors", "discards"), ("sailing", "rolling")
NOTES = {
    "free": "free",
    "boost": f"+{rules.BOOST}",
    "safe": "protected",
    "fed": "feeds it",
    "battle": "battle!",
    "lap": "lap!",
    "bust": "Bust!",
    "fish": "fish",
    "favor": "Favor",
    "wedge": "wedge",
    "curse": "cursed!",
}
LINE_GIFTS = [f"{rules.LINE_FISH} fish"] * (rules.LINE_FISH > 0) + ["a wedge"] + ["a Favor"] * (rules.FAVOR_LIMIT > 0)
DRAWING = f"Draw a Favor face down, at most {rules.FAVOR_LIMIT} a turn. You reveal it when your movement is over."
SHIELD = " Your Navigation die protects you on the first dots of a turn." * (rules.PROTECTION > 0)
ICON_WORDS = (
    ("open water", "Costs 1 movement, like every dot.", "R30"),
    ("fish", f"Take 1 fish; your board holds {rules.MAX_FISH}.", "R42"),
    ("Favor", DRAWING if rules.FAVOR_LIMIT else "No Favors are drawn in this game.", "R43"),
    ("wedge", "Take the top wedge of the stack. You place it at the start of your next turn.", "R44"),
    ("boost", f"Sail {rules.BOOST_DOTS} further.", "R45"),
    ("Hydra", f"Feed it 1 fish, or lose the rest of your movement.{SHIELD}", "R51"),
    ("Charybdis", "Leave by a path whose number one of your dice shows. The Fleece doesn't change what a die shows.", "R47"),
    ("Scylla", "Leave by the path you pay for: 0, 1 or 2 fish.", "R49"),
    ("start dot", f"Land here or cross it to complete a lap and get {kit.listed(LINE_GIFTS)}.", "R46"),
)


@cache
def piece_cards(wedge, offset, height):
    """Hover cards of a wedge and its dots."""
    counts = "only the top one counts" if rules.WEDGES_COVER else "only the lowest one counts"
    pile = f" There are {height} wedges here; {counts}." if height > 1 and wedge != content.START_WEDGE else ""
    words = "It can't be covered." if wedge == content.START_WEDGE else f"Place {offset} after the line.{pile}"
    cards = {f"piece-{wedge}": Card(content.WEDGE_NAMES[wedge], words, "R25" if wedge == content.START_WEDGE else "R27")}
    for d, dot in enumerate(content.COURSE[wedge].dots):
        name, words, rule = ICON_WORDS[forecast.ICON[wedge][d]]
        cards[f"dot-{offset}-{d}"] = Card(f"{content.WEDGE_NAMES[wedge]} {dot.name}: {name}", words, rule)
    return cards


def title(view, t, rank):
    """The picture in a sentence."""
    if view.over:
        return f"Hydra Regatta: {kit.name(view, t.rank[0])} has won."
    ahead = f", {kit.name(view, rank.index(0))} is in the lead" if rank else ""
    return f"Hydra Regatta, round {t.round}{ahead}, {kit.listed(kit.name(view, p) for p in sorted(t.deciders))} to move."


def plate(t, p, rank):
    """What a player has, readable without the picture."""
    lines = [f"lap {t.laps[p]} of {t.race}" + (f" · {PLACES[rank[p]]}" if rank else "")]
    held = [content.CARD_NAMES[card] for card in t.slots[p] if card != rules.NONE]
    lines.append(f"{t.fish[p]} fish" + (f" · {', '.join(held)}" if held else ""))
    badge = "Golden Fleece" if t.fleece == p else "bust" if t.bust[p] else ""
    return Plate(tuple(lines), badge)


def account(t, p):
    """How the movement adds up, in lines."""
    if forecast.sailing(t, p):
        last = forecast.last_harmless(t, p)
        shield = (f"Hydras are harmless up to dot {last}",) if last >= t.moved and last else ()
        return (f"{t.moved} sailed, {t.move} to go", *shield)
    parts = [f"2 × {t.nav[p]}" if t.fleece == p else str(t.nav[p])] + [str(die) for die in forecast.counting(t, p)]
    slow, total = forecast.slowed(t, p), forecast.movement(t, p)
    less = f" − {slow}" if slow else ""
    least = t.ask(rules.navigation, p) + sum(forecast.counting(t, p)) - slow < total  # Q32: one dot remains
    words = f"{' + '.join(parts)}{less}{', but at least' if least else ' ='} {kit.many(total, 'dot')} to sail"
    return (words,) if len(parts) > 1 or t.fleece == p or slow else ()


def stack_cards(t, cards):
    """The cards of the stack, the deck and the discard pile."""
    known = {t.stack[k] for k in range(len(t.stack) - t.stack_n)}
    left = [content.WEDGE_NAMES[wedge] for wedge in content.UNMARKED.tolist() if wedge not in known]
    coming = f"To come: {', '.join(left)}." if left else "It's empty: no more wedges are drawn."
    cards["stack"] = Card("Wedge stack", coming, "R44" if left else "Q13")
    counted = Counter(name for card, name in enumerate(content.CARD_NAMES) if t.disc >> card & 1)
    words = ", ".join(name + ("", "", " twice")[count] if count < 3 else f"{name} {count} times" for name, count in counted.items())
    cards["discard"] = Card("Discarded Favors", f"{words}." if words else "Nothing yet.", "R41")
    cards["deck"] = Card(
        "Favor deck", f"{kit.many(t.deck_n, 'card')}, drawn face down. When it's empty, the discards are reshuffled.", "R43"
    )


def rank_words(t, p, rank):
    """How far along a ship is."""
    if rank is None:
        return "Waiting to be placed on the Starting Line."
    slot, dot = divmod(t.pos[p], content.MAX_DOTS)
    place = f"place {forecast.offset_of(t, slot)}, lane {content.UPPER[forecast.LANE[t.top[slot]][dot]]}"
    ahead = "dot further clockwise" if t.rank_in_wedge == rules.BY_ANGLE else "inner lane"
    return f"{PLACES[rank[p]]}: lap {t.laps[p]}, {place}. On the same wedge the {ahead} is ahead."


@cache
def board_cards(p, name, place, laps, race, fish, slots, hand):
    """The hover cards of a board, its lap marker and its wedges."""
    held = [card for card in slots if card != rules.NONE]
    curse = next((f" Cursed by {content.CARD_NAMES[card]}." for card in held if forecast.KIND[card] == content.TRIDENT), "")
    rank = "" if place is None else f"{PLACES[place]} in the race, "
    return {
        f"board-{p}": Card(f"{name}'s board", f"{rank}{laps} of {kit.many(race, 'lap')} completed, {fish} fish.{curse}", "R5"),
        f"lap-{p}": Card(f"{name}'s lap marker", "Landing on the Starting Line counts as crossing it.", "R46"),
        **{
            f"piece-{wedge}": Card(
                f"{content.WEDGE_NAMES[wedge]}, to be placed", f"{name} places it at the start of their next turn.", "R23"
            )
            for wedge in hand
            if wedge != rules.NONE
        },
    }


def banner(view, t):
    """Across the Hydra: who won, or the last round; None before."""
    if t.phase == rules.OVER:
        return f"{kit.name(view, t.rank[0])} wins", "the regatta"
    left = t.players - t.turn - 1
    return ("Last round", f"{kit.many(left, 'more ship')} to move" if left else "the last ship moves") if t.final else None


def victim_card(view, t, p):
    """The card of a board that can be chosen."""
    said, rule = ("Put the trident on", "R40") if t.phase == rules.TARGET else (f"Take {content.STOLEN} fish from", "Q35")
    return Card(f"{kit.name(view, p)}'s board", f"{said} this board.", rule)


def dot_words(t, place):
    """A dot and what it shows."""
    slot, dot = divmod(place, content.MAX_DOTS)
    return f"{content.DOT_NAMES[t.top[slot] * content.MAX_DOTS + dot]} ({ICON_WORDS[forecast.ICON[t.top[slot]][dot]][0]})"


def exit_card(t, goal, occupied):
    """An exit to take."""
    cost, rule = ("There's a ship there: you sail past for free.", "R33") if occupied else ("Costs 1 movement.", "R30")
    return Card(f"To {dot_words(t, goal)}", f"{cost} Numbers count the dots, rings show where you can end.", rule)


def end_card(t, end, ways):
    """Where the voyage can end."""
    several = ", by several routes: you'll be asked" if ways > 1 else ""
    return Card(f"End at {dot_words(t, end)}", f"Your movement can end exactly here{several}. Click to sail there.", "R30")


def chance(first):
    """R18: the chance that a second die is at least as high."""
    return f"{round(sum(not rules.busts(first, second) for second in range(1, 7)) / 6 * 100)} % safe"


def button_words(t, verb, number=0):
    """The label of a button; None for moves that are clicked elsewhere."""
    said = BUTTONS[verb][0] if verb in BUTTONS else None
    return said(t, t.mover, number) if callable(said) else said


DARE = "If it's lower than the first die, you lose both. The numbers on the course show where each roll could take you; x is a bust."
BUTTONS = {  # the label of a verb's button, the text of its card, and the rule
    "nav_keep": (lambda t, p, _: f"Keep the {t.nav[p]}", "Then roll the first Movement die.", "R16"),
    "nav_reroll": ("Reroll (1 fish)", "Pay a fish to roll the Navigation die again. The old result is gone.", "R15"),
    "hold": (
        lambda t, p, _: f"Stop with {forecast.movement(t, p)}",
        "Don't roll a second die. The black rings on the course show where you can end.",
        "R17",
    ),
    "roll2": ("Roll second die", DARE, "R17"),
    "accept2": (
        lambda t, p, _: f"Accept{' the bust' * rules.busts(t.d1[p], t.d2[p])}: {forecast.movement(t, p)}",
        "The second die stays as it is.",
        "R18",
    ),
    "reroll2": ("Reroll (1 fish)", "Pay a fish to roll the second die again. The old result is gone.", "R20"),
    "value": (lambda t, p, number: f"Turn to {number}", "Athena turns the Navigation die.", "Q31"),
    "end_move": ("End the movement", "Continue your turn without using a Favor.", "Q31"),
    "feed": ("Feed it 1 fish", "Then sail on.", "R51"),
    "battle": (lambda t, p, _: f"Battle: lose {t.move}", "You lose all remaining movement.", "R52"),
    "ignore": ("Sail on", "You're protected, so you can ignore the Hydra.", "R53"),
    "discard_new": (lambda t, p, _: f"Discard {content.CARD_NAMES[t.pend]}", "Keep the Favors you have.", "R39"),
}
GAIA, CLOSED = "You place Gaia's wedge at once.", "This path is closed"
LANES = "Inner lanes are shorter and count as ahead on the same wedge. Outer lanes have fewer Hydras."
DOUBLES = "Doubles the Navigation die" + ", as movement and as protection" * (rules.PROTECTION > 0)
SHELTERED = "that many" if rules.PROTECTION == 1 else f"{rules.PROTECTION} times that many"
SHELTER = f", and protection from Hydras for {SHELTERED} dots" if rules.PROTECTION else ""
CARDS = {  # cards that never change, by the first part of the id
    "hydra": Card("The Hydra", "Sail around her clockwise, the way her heads are looking. On Hydra dots she wants a fish.", "R51"),
    "round": Card("The round", "Everybody rolls, then everybody sails, starting with the holder of the Golden Fleece.", "R12"),
    "order": Card("Order of turns", "Clockwise, starting with the holder of the Golden Fleece.", "R12"),
    "down": Card("Favor, face down", "Nobody has seen it yet. It's revealed when the movement is over.", "R37"),
    "bust": Card("Bust", "The second die was lower than the first: both Movement dice are lost this round.", "R19"),
    "fleece": Card("The Golden Fleece", f"{DOUBLES}. At the end of a round it goes to the player in last place.", "R11"),
    "fish": Card("Fish", "Pay for rerolls of the Navigation die or the second die, for feeding a Hydra and for Scylla's paths.", "R54"),
    "nav": Card("Navigation die", f"Movement{SHELTER}.", "R15"),
    "first": Card("First Movement die", "It is never rerolled.", "R16"),
    "second": Card("Second Movement die", "It counts if it's at least as high as the first.", "R18"),
}


def _favor_card(card):
    kind = forecast.KIND[card]
    curse = " A curse: it strikes by itself." if kind == content.TRIDENT else ""
    ours = "Its name is printed, its text is ours." if content.GODS[content.TYPE[card]].starter else "Name and text are ours."
    return Card(f"{content.CARD_NAMES[card]} ({KIND_WORDS[kind].lower()})", f"{content.CARD_TEXTS[card]}{curse} {ours}", KIND_RULES[kind])


FAVOR_CARDS = tuple(_favor_card(card) for card in range(content.CARDS))


def say_move(view, move):
    t = forecast.fields(view)
    number = move.args[0] if move.args else 0
    match move.verb:
        case "ship":
            return f"Start in lane {content.UPPER[number]}"
        case "use":
            return f"Use {content.CARD_NAMES[t.slots[t.mover][number]]}"
        case "replace":
            return f"Discard {twin_name(t, number)} for {content.CARD_NAMES[t.pend]}"
        case "discard_own":
            return f"Discard {twin_name(t, number)}"
        case "wedge":
            held, slot = forecast.held_wedges(t), move.args[1]
            over = content.WEDGE_NAMES[t.top[slot]]
            return f"{content.WEDGE_NAMES[held[number]]} on place {forecast.offset_of(t, slot)}, over {over}"
        case "step":
            return say_step(t, number)
        case "target":
            return f"{'Curse' if t.phase == rules.TARGET else f'Take {content.STOLEN} fish from'} {kit.name(view, number)}"
    return button_words(t, move.verb, number)


def twin_name(t, number):
    """The card in a slot; of two equal ones, which."""
    first, second = (content.CARD_NAMES[card] for card in t.slots[t.mover])
    return content.CARD_NAMES[t.slots[t.mover][number]] + (f" ({'left' if number == 0 else 'right'})" if first == second else "")


def say_step(t, e):
    here, icon, ruled, exits = forecast.fork(t)
    _, label, _, goal, occupied = exits[e]
    wedge, dot = t.top[goal // content.MAX_DOTS], goal % content.MAX_DOTS
    words = f"Sail to {content.WEDGE_NAMES[wedge]} {content.COURSE[wedge].dots[dot].name}"
    if forecast.ICON[wedge][dot]:
        words += f" ({ICON_WORDS[forecast.ICON[wedge][dot]][0]})"
    if ruled:
        words += f", path {label}" if icon == content.IS.CHARYBDIS else f", paying {label} fish" if label else ""
    if occupied:
        words += ", passing a ship for free"
    if [other[3] for other in exits].count(goal) > 1:
        slot, dot = divmod(here, content.MAX_DOTS)
        target = forecast.WAYS_OUT[t.top[slot]][dot][e][1]
        words += f", by lane {content.UPPER[target - content.MAX_DOTS]}" if target >= content.MAX_DOTS else ", straight"
    return words


PROMPTS = {
    rules.SETUP: "Your turn, {name}: choose a start dot. Whoever places last gets the Golden Fleece.",
    rules.NAV: "{name}, your Navigation die shows {nav}: keep it{reroll_it}{card}.",
    rules.SECOND: "{name}, the second die shows {second}, {fate}: accept it{reroll}{card}.",
    rules.VALUE: "{name}, turn the Navigation die to 1, 2 or 3.",
    rules.WEDGE: "{name}, place {wedge}: click the wedge to cover.",
    rules.MOVE: "Your turn, {name}: sail exactly {move}. Click where to end, or the next dot{card}.",
    rules.HYDRA: "{name}, a Hydra! {hydra}{card}.",
    rules.ENDWIN: "{name}, you've used all your movement: end it{card}.",
    rules.SLOTS: "{name}, your Favor slots are full: click a card to discard for {pend}, or discard {pend} itself.",
    rules.TARGET: "{name}, {pend} is a curse: click the board of your victim.",
    rules.ROOM: "{name}, {pend} is coming to your board: click a card to discard for it.",
    rules.STEAL: f"{{name}}, Dionysus takes {content.STOLEN} fish: click the board to take from.",
    rules.GAIA: "{name}, Gaia gives you {wedge}: click the wedge to cover.",
}


def prompt(view, seat):
    t = forecast.fields(view)
    name, p, verbs = kit.name(view, seat), t.mover, {move.verb for move in view.legal()}
    held = forecast.held_wedges(t)
    if "roll2" in verbs:
        stop = f"{name}, stop with a total of {forecast.movement(t, p)} or roll a second die"
        if t.d1[p] == 1:
            return f"{stop}: any number counts."
        least = "only a 6" if t.d1[p] == 6 else f"{t.d1[p]} or more"
        return f"{stop}: {least} counts, less is a bust and leaves you only {forecast.movement(t, p, ())}."
    if t.phase == rules.WEDGE and len(held) > 1:
        return f"{name}, click one of your two wedges, then the wedge to cover."
    harmless = "You're protected, so sail on, or battle it and lose the rest of your movement"
    return PROMPTS[t.phase].format(
        name=name,
        card=", or use the glowing Favor" if "use" in verbs else "",
        nav=t.nav[p],
        second=t.d2[p],
        fate=f"a bust after {t.d1[p]}" if rules.busts(t.d1[p], t.d2[p]) else "so it counts",
        reroll=" or reroll for a fish" if t.fish[p] else "",
        reroll_it=" or reroll it for a fish" if t.fish[p] else "",
        wedge=content.WEDGE_NAMES[held[0]] if held else "",
        move=kit.many(t.move, "dot"),
        hydra=harmless if "ignore" in verbs else "Feed it a fish" if t.fish[p] else "Battle it and lose the rest of your movement",
        pend=content.CARD_NAMES[t.pend] if t.pend != rules.NONE else "",
    )


def goal(view, seat):
    """The goal, and how things stand: for a player, or for somebody who watches."""
    t = forecast.fields(view)
    rank, course = forecast.ranking(t), f"{kit.many(t.race, 'lap')} around the Hydra"
    if not rank:
        return f"Be furthest after {course}."
    leader = rank.index(0)
    stands = f"{kit.name(view, leader)} leads" if seat is None else f"you're {PLACES[rank[seat]]} of {t.players}"
    if view.over:
        return f"The race is over: {f'{kit.name(view, leader)} wins' if seat is None else stands}."
    if t.final:
        return f"Last round, the Ship furthest past the line wins: {stands}."
    if seat is None:
        return f"{course}: {stands} with {t.laps[leader]} completed."
    return f"{course}: {t.laps[seat]} completed, {stands}."


WRONG_CLICKS = {
    "card": "That Favor is on another player's board. [R35]",
    "sea": "You can't end there: choose a dot with a golden ring. [R31]",
    "dice": "Use the buttons under your own dice. Nobody sails while dice are rolled. [R22]",
    "pile": "You get wedges and Favors by sailing over their dots. [R32]",
}


def say(view, event):
    """The story with places counted from the line, and names for the ships that are passed."""
    a = event.args
    s = view.state
    match event.name:
        case "line":
            return f"The Starting Line covers {content.WEDGE_NAMES[a[0]]}, which is out of the game. [R3]"
        case "places":
            place = (a[2] - int(s.start_slot)) % content.RING_SLOTS
            return f"{kit.name(view, a[0])} places {content.WEDGE_NAMES[a[1]]} on place {place} after the line. [R24]"
        case "sails":
            return f"{kit.name(view, a[0])} sails to {content.DOT_NAMES[a[1]]}, {a[3]} to go. [R30]"
        case "voyage":
            safe = f", protected from Hydras for {'the first dot' if a[2] == 1 else f'{a[2]} dots'}" if a[2] else ""
            return f"{kit.name(view, a[0])} sets sail: {kit.many(a[1], 'dot')} to go{safe}. [R21]"
        case "skips":
            place = a[2] * content.MAX_DOTS + a[1] % content.MAX_DOTS
            there = [kit.name(view, p) for p in range(view.players) if p != a[0] and int(s.pos[p]) == place]
            return f"{kit.name(view, a[0])} sails past {there[0] if there else 'a ship'} for free. [R33]"
    return None


def ending(view):
    t = forecast.fields(view)
    first, second = t.rank[0], t.rank[1]
    name, other = kit.name(view, first), kit.name(view, second)
    a, b = (t.ask(rules.progress, p) // 64 for p in (first, second))  # laps and wedges
    lanes = {forecast.LANE[t.top[slot]][dot] for slot, dot in (divmod(t.pos[p], content.MAX_DOTS) for p in (first, second))}
    if t.laps[first] != t.laps[second]:
        why = f"{name} has completed {kit.many(t.laps[first], 'lap')}, {other} only {t.laps[second]}. [R57]"
    elif a != b:
        why = f"{name} is {kit.many(a - b, 'wedge')} ahead of {other}. [R57]"
    elif len(lanes) > 1 and t.rank_in_wedge != rules.BY_ANGLE:
        why = f"{name} and {other} are on the same wedge, and {name} is nearer to the Hydra. [R57]"
    else:
        why = f"{name} and {other} are on the same wedge, and {name} is further clockwise. [Q39]"
    return (f"{name} wins the regatta!", why)


# ---- without the picture --------------------------------------------------------------------------------------------------


def in_words(view, seat):
    """The race, everybody's ship and board, what lies ahead of you, and the course as a table."""
    t = forecast.fields(view)
    rank = forecast.ranking(t)
    order = sorted(range(t.players), key=lambda player: player != seat)
    banners = banner(view, t)
    race = [
        f"Round {t.round}." if t.round else "The ships are being placed.",
        f"{' '.join(banners)}." if banners else "",
        f"{kit.many(t.stack_n, 'wedge')} in the stack, {kit.many(t.deck_n, 'Favor')} in the deck.",
    ]
    head = ("Place", "Wedge", *(f"Lane {lane}" for lane in content.UPPER))
    return [
        Part("The race", [line for line in race if line]),
        *(Part(kit.whose(view, seat, p), ship_words(t, p, rank, p == seat)) for p in order),
        *(ahead(view, t, seat) if seat is not None and rank and not view.over else ()),
        Part("The course", ["Clockwise from the Starting Line. Lane A is the innermost."], head, tuple(course_rows(view, t))),
    ]


def ship_words(t, p, rank, own):
    """Where a ship is, and what lies on its player's board."""
    lines = [f"{PLACES[rank[p]]} of {t.players}, on {where(t, t.pos[p])}." if rank else rank_words(t, p, None)]
    lines.append(f"{t.laps[p]} of {kit.many(t.race, 'lap')} completed, {t.fish[p]} fish{', the Golden Fleece' if t.fleece == p else ''}.")
    dice = [
        f"{name} die {die}"
        for name, die in zip(("Navigation", "first Movement", "second Movement"), (t.nav[p], t.d1[p], t.d2[p]), strict=True)
        if die
    ]
    if dice:
        lines.append(f"Dice: {kit.listed(dice)}{', a bust' if t.bust[p] else ''}.")
        lines += [f"{words[0].upper()}{words[1:]}.".replace("×", "times").replace("−", "minus") for words in account(t, p)]
    for card in t.slots[p]:
        if card != rules.NONE:
            lines.append(f"Favor {content.CARD_NAMES[card]}: {content.CARD_TEXTS[card]}")
    wedges = [content.WEDGE_NAMES[wedge] for wedge in t.hand[p] if wedge != rules.NONE]
    return lines + ([f"To be placed: {kit.listed(wedges)}."] if wedges else [])


def where(t, place):
    """A dot with its place on the course: "Jaws B2 (Hydra), place 7"."""
    return f"{dot_words(t, place)}, place {forecast.offset_of(t, place // content.MAX_DOTS)}"


def course_rows(view, t):
    """The twelve wedges from the line on; in each lane the dots in sailing order, named if they are more than open water."""
    there = {t.pos[p]: kit.name(view, p) for p in range(t.players)}
    for offset in range(content.RING_SLOTS):
        slot = (t.start_slot + offset) % content.RING_SLOTS
        lanes = [[] for _ in content.UPPER]
        for d, dot in enumerate(content.COURSE[t.top[slot]].dots):
            icon, ship = forecast.ICON[t.top[slot]][d], there.get(slot * content.MAX_DOTS + d)
            words = [dot.name, ICON_WORDS[icon][0] if icon else "", f"({ship}'s ship)" if ship else ""]
            lanes[dot.lane].append(" ".join(word for word in words if word))
        yield (str(offset), content.WEDGE_NAMES[t.top[slot]], *map(", ".join, lanes))


def ahead(view, t, seat):
    """Where your movement can end, once you know it, and the ways on through this wedge and the next two."""
    parts = []
    if forecast.sailing(t, seat) and t.phase == rules.MOVE:
        ends = sorted(forecast.reach_of(t, seat, [t.move]).ends[0], key=lambda place: forecast.offset_of(t, place // content.MAX_DOTS))
        parts.append(Part("Where you can end", [f"{where(t, place)}." for place in ends]))
    elif t.mover == seat and t.phase == rules.SECOND and not t.d2[seat]:
        found = forecast.outlook(t, seat).items()
        parts.append(
            Part(
                "Where a second die takes you",
                [f"{rolls.replace('x', ', or a bust').removeprefix(', or ')}: {where(t, place)}." for place, rolls in found],
            )
        )
    return [*parts, Part("Ways ahead of you", ways_on(t, t.pos[seat]))]


WEDGES_AHEAD = 2
"""How many wedges the ways ahead are listed for."""


def ways_on(t, start):
    """Every dot that can be reached from there within the next wedges, in sailing order, with the dots it leads to."""
    lines, (slot, first) = [], divmod(start, content.MAX_DOTS)
    reached = {first}
    for k in range(WEDGES_AHEAD):
        wedge, after = (content.COURSE[t.top[(slot + k + more) % content.RING_SLOTS]] for more in (0, 1))
        entered = set()
        for d in sorted(range(len(wedge.dots)), key=lambda d: wedge.dots[d].angle):
            if d not in reached:
                continue
            dot, ways = wedge.dots[d], []
            for label, target in sorted(dot.exits, key=lambda way: way[1]):  # within the wedge first
                on = target - content.MAX_DOTS
                (reached if on < 0 else entered).add(target if on < 0 else after.entries[on])
                goal = wedge.dots[target].name if on < 0 else f"{after.name} {after.dots[after.entries[on]].name}"
                ways.append(goal + (f" (path {label})" if dot.icon == "Y" else f" ({label} fish)" if dot.icon == "Z" else ""))
            lines.append(f"{wedge.name} {dot.name} leads to {kit.listed(dict.fromkeys(ways), 'or')}.")
        reached = entered
    return lines


def text(view) -> str:
    """For terminals: the course unrolled from the line, outer lane first, with icons as in `content` and marks for ships."""
    t = forecast.fields(view)
    there = {t.pos[p]: MARKS[p] for p in range(t.players)}
    rows = []
    for lane in reversed(range(content.LANES)):
        cells = []
        for offset in range(content.RING_SLOTS):
            slot = (t.start_slot + offset) % content.RING_SLOTS
            dots = [(d, dot) for d, dot in enumerate(content.COURSE[t.top[slot]].dots) if dot.lane == lane]
            cells.append("".join(there.get(slot * content.MAX_DOTS + d, dot.icon) for d, dot in dots).ljust(4))
        rows.append(f"{content.UPPER[lane]} |" + "|".join(cells) + "|")
    rows.append("   " + " ".join(str(offset).ljust(4) for offset in range(content.RING_SLOTS)).rstrip())
    rank = forecast.ranking(t)
    for p in range(t.players):
        held = ", ".join(content.CARD_NAMES[card] for card in t.slots[p] if card != rules.NONE) or "no Favor"
        dice = "/".join(str(die or "–") for die in (t.nav[p], t.d1[p], t.d2[p]))
        fleece = ", Fleece" if t.fleece == p else ""
        place = f"{PLACES[rank[p]]}, " if rank else ""
        rows.append(f"{MARKS[p]} {kit.name(view, p)}: {place}lap {t.laps[p]}, dice {dice}, {t.fish[p]} fish, {held}{fleece}")
    return "\n".join(rows)


# ---- why a move is good -----------------------------------------------------------------------------------------------------


def why(view, move):
    """A reason for a move, where the rules give one."""
    t = forecast.fields(view)
    if move.verb not in ("roll2", "hold") or not (first := t.d1[t.mover]) or t.d2[t.mover]:
        return None
    low = sum(rules.busts(first, second) for second in range(1, 7))
    return f"A second die is a bust on {low} of its 6 sides." if low else "A second die can't be a bust."
