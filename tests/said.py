"""What a game says and shows in a few random games, and which numbers don't follow a changed constant."""

import random
import re
from collections import defaultdict
from functools import cache

from rulestone.table import Face, kit
from rulestone.variant import BadChange

WORDS = {word: value for value, word in enumerate(kit.WORDS) if value}
WORDS |= {"both": 2, "twice": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}
NUMBER = re.compile(rf"(?<!\w)(?:\d+|one(?= (?!of|is)\w)|{'|'.join(word for word in WORDS if word != 'one')})(?!\w)", re.IGNORECASE)
LIST = re.compile(r"\b\d+(?:(?:, | and | or |, and |, or )\d+)+\b")
"""Several numbers in a row are a list of things, not a count."""
CITED = re.compile(r"\b[RQ]\d+\b")
SIGN = re.compile(r"[+−-] ?#$")
SEEDS, PLIES = 2, 60


def sentences(game):
    """Return (the rules cited, the words) of everything said and drawn, for several numbers of players, moves and viewers."""
    face, said = Face.of(game), set()

    def say(words, rule=""):
        cited = frozenset(CITED.findall(f"{words} {rule}"))
        bare = re.sub(r"\s*[\[(](?:[RQ]\d+(?:, ?)?)+[\])]", "", words)
        said.add((cited, LIST.sub("…", bare)))

    for option in game.options.values():
        say(option.help)
    for seed in range(SEEDS):
        players = game.max_players - seed % (game.max_players - game.min_players + 1)
        match, chance = game.new(seed=seed, players=players), random.Random(seed)
        while not match.over and match.ply < PLIES:
            tell(face, match, [match.to_move, None][match.ply % 2], say)
            match.play(chance.choice(match.legal()))
            for event in match.events:
                say(match.say(event))
                say(face.say(match.view(None), event))
        tell(face, match, None, say)
    return said


def tell(face, match, eyes, say):
    """Call `say` with everything a viewer reads at one position."""
    view = match.view(eyes)
    scene = face.scene(view, eyes)
    say(scene.title)
    for card in scene.cards.values():
        say(card.name)
        say(card.text, card.rule)
    for plate in scene.plates:
        for line in (*plate.lines, plate.badge):
            say(line)
    for words in re.findall(r">([^<>]+)<", "".join(scene.things)):
        say(words)
    say(face.prompt(view, eyes))
    say(face.unaided(view, eyes) or "")
    for move in face.moves(view):
        say(move["label"])
        say(move["sure"])
    if match.over:
        for words in face.ending(view):
            say(words)
    if hasattr(face.game.scene, "text"):
        for line in face.game.scene.text(view).splitlines():
            say(line)


@cache
def numbers(game):
    """Return the values of each number in each sentence (without its numbers)."""
    places = defaultdict(set)
    for cited, words in sentences(game):
        for place, number in enumerate(NUMBER.findall(words)):
            places[cited, NUMBER.sub("#", words), place].add(WORDS[number.lower()] if number.lower() in WORDS else int(number))
    return places


@cache
def constants(game):
    """Return the constants of a game, which are read from its files."""
    return game.constants.values()


@cache
def changed(game, target, value):
    """Return the game with the value one higher, or else one lower; None if it refuses both."""
    for other in (value + 1, value - 1):
        try:
            return game.changed({target: other})
        except BadChange as problem:
            refusal = str(problem)
        assert "\n" not in refusal
        assert f"{target} = {other}" in refusal
    return None


def cites(game, constant):
    """Return the rules cited beside a constant. If several names share a line that cites one rule for each, each has its own."""
    kin = [other.name for other in constants(game) if (other.file, other.about) == (constant.file, constant.about)]
    rules = CITED.findall(constant.about)
    return {rules[kin.index(constant.name)]} if len(rules) == len(kin) else set(rules)


def told_as_before(game, constant):
    """Sentences that cite one of the constant's rules, and bare numbers such as "+3", that still show its old value.

    A number belongs to this constant if it always has the old value, keeps it when the constant is changed, and doesn't follow any other
    constant of the game.
    """
    other = changed(game, constant.name, constant.value)
    if other is None:
        return []
    before, after = numbers(game), numbers(other)
    same, rules = {constant.value}, cites(game, constant)
    suspects = [place for place in before if (place[0] & rules or SIGN.match(place[1])) and before[place] == after.get(place) == same]
    for rival in constants(game) if suspects else ():
        if rival.name != constant.name and type(rival.value) is int and cites(game, rival):
            varied = changed(game, rival.name, rival.value)
            suspects = [place for place in suspects if varied is None or numbers(varied).get(place, same) == same]
    return sorted({words for _, words, _ in suspects})
