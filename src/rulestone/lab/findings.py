"""The findings a report starts with: at most six sentences a designer can act on, each with its uncertainty.

Who wins, how long it takes, how it ends, how much is luck, what never happens; before them, what a change did. What is known about
single moves, from a few games that a bot watched, is in the report's sections only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rulestone.lab.plan import AS_IT_IS, instead, line_up_text, phrase, title_of

MOST = 6
LOPSIDED = 0.1
"""An interval whose middle is further from the value than this share of its width is written out instead of as ±."""
VAGUE = 0.2
"""A share of luck whose interval is wider than twice this is no finding yet."""
ODDS = 3.0
"""Of what never happened in n games, we can be 95 % sure that it happens in less than 3 / n of them."""

ENOUGH, A_FEW = 100, 20
"""What never happened in fewer games is no finding; nor is a measure of fewer than a few."""


def findings(summary: dict[str, Any]) -> list[str]:
    """The findings, most important first; never more than six."""
    cell = summary["cells"][0]
    skill = _skill(summary)[:2]
    made = [
        *skill,
        *_effects(summary)[: 1 if skill else 2],
        _fairness(summary, cell),
        _length(summary, cell),
        _ending(summary, cell),
        _luck(summary, cell),
        _never(summary, cell),
        *(_where(text, _only(summary)) for text in said(cell) if cell["games"] >= A_FEW),
    ]
    return [sentence for sentence in made if sentence][:MOST]


def _only(summary: dict[str, Any]) -> str:
    """The setting that sentences about a single one are about; empty if there is only one."""
    return str(summary["cells"][0]["label"]) if len(summary["cells"]) > 1 else ""


def _where(text: str, label: str) -> str:
    """A sentence, or what precedes its numbers, with the setting that it is about."""
    end = "." if text.endswith(".") else ""
    return f"{text.removesuffix('.')} ({label}){end}" if label else text


def percent(share: float, digits: int = 0) -> str:
    """A share as a percentage; shares near 0 or 1 get at least one decimal.

    >>> percent(0.5538), percent(0.5538, 1), percent(0.00274)
    ('55 %', '55.4 %', '0.3 %')
    """
    if 0 < share < 0.01 or 0.99 < share < 1:
        digits = max(digits, 1)
    elif share in (0, 1):
        digits = 0
    return f"{100 * share:z.{digits}f} %"


def within(value: float, low: float, high: float, unit: str = "", sign: str = "") -> str:
    """A value and its interval, with as many digits as the interval deserves; a lopsided interval is written out.

    >>> within(55.38, 55.02, 55.74, " %"), within(0, 0, 42.3, " %"), within(-0.01, -0.31, 0.29, sign="+")
    ('55.4 % ± 0.4', '0 % (0 to 42)', '+0.0 ± 0.3')
    """
    reach = (high - low) / 2
    digits = 0 if reach <= 0 else min(6, max(0, -math.floor(math.log10(float(f"{reach:.1g}")))))
    shown = f"{value:{sign}z.{digits}f}{unit}" if value else f"0{unit}"
    if reach <= 0:
        return f"{value:{sign}z.4g}{unit}" if value else shown
    if abs((high - value) - (value - low)) > LOPSIDED * (high - low):
        return f"{shown} ({low:{sign}z.{digits}f} to {high:{sign}z.{digits}f})"
    return f"{shown if value else f'{value:{sign}z.{digits}f}{unit}'} ± {reach:.{digits}f}"


def share_text(told: dict[str, Any]) -> str:
    """`55.4 % ± 0.4`, or `0 % (0 to 42)`."""
    return within(100 * told["share"], 100 * told["low"], 100 * told["high"], " %")


def amount(value: float) -> str:
    """A number with three significant digits.

    >>> amount(21.3419), amount(1234.5), amount(0.0123)
    ('21.3', '1,234', '0.0123')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:z.3g}"


def players_text(cell: dict[str, Any]) -> str:
    """`random play`, or the bots of the line-up."""
    words = {"random": "random play", "greedy": "the game's own bots"}
    return words.get(cell["bots"][0], f"{cell['bots'][0]} bots") if len(set(cell["bots"])) == 1 else line_up_text(cell["bots"])


def by_players(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The settings that differ in the number of players only; empty if that number doesn't vary."""
    cells = summary["cells"]
    if "players" not in summary["plan"]["factors"]:
        return []

    def rest(cell: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in cell["set"].items() if name != "players"}

    return [cell for cell in cells if rest(cell) == rest(cells[0])]


def _fairness(summary: dict[str, Any], cell: dict[str, Any]) -> str:
    if len(set(cell["bots"])) > 1 and not summary["cooperative"]:
        return ""
    several = by_players(summary)
    if several:
        told = "; ".join(f"with {one['players']} players {_fair(summary, one, True)}" for one in several)
        return f"In {players_text(cell)}: {told}." if cell["bots"][0] == "random" else f"Between {players_text(cell)}: {told}."
    varied = f" ({cell['label']})" if cell["label"] != AS_IT_IS else ""
    return f"With {players_text(cell)}{varied}, {_fair(summary, cell)}.{_even(summary, cell)}"


def _even(summary: dict[str, Any], cell: dict[str, Any]) -> str:
    return "" if summary["cooperative"] else f" An even share would be {percent(cell['fair'])}."


def _fair(summary: dict[str, Any], cell: dict[str, Any], short: bool = False) -> str:
    """Who wins in one setting, as far as it is certain."""
    if summary["cooperative"]:
        return f"the team wins {share_text(cell['seats'][0])} of games"
    best = max(cell["seats"], key=lambda seat: float(seat["share"]))
    worst = min(cell["seats"], key=lambda seat: float(seat["share"]))
    if best["low"] <= worst["high"]:
        low, high = min(seat["low"] for seat in cell["seats"]), max(seat["high"] for seat in cell["seats"])
        if short:
            return f"no seat stands out (all between {percent(low)} and {percent(high)})"
        return f"no seat clearly wins more than another: each wins between {percent(low)} and {percent(high)} of games"
    most, least = (" (the most)", " (the fewest)") if len(cell["seats"]) > 2 else ("", "")
    return f"{best['name']} wins {share_text(best)} of games{most} and {worst['name']} {share_text(worst)}{least}"


def effect_text(effect: dict[str, Any]) -> str:
    """`+4.4 ± 0.5 percentage points` or `-10.3 ± 0.1`."""
    if effect["low"] == effect["high"] == 0:
        return "no difference"
    if effect["share"]:
        return f"{within(100 * effect['difference'], 100 * effect['low'], 100 * effect['high'], sign='+')} percentage points"
    return within(effect["difference"], effect["low"], effect["high"], sign="+")


def _measured(effect: dict[str, Any]) -> str:
    return f"“{effect['label']}” {effect_text(effect)}"


def _effects(summary: dict[str, Any]) -> list[str]:
    """For each change, its clearest effect on who wins, or else on anything; the largest effects first."""
    made = []
    for change in dict.fromkeys((effect["factor"], str(effect["from"]), str(effect["to"])) for effect in summary["effects"]):
        if change[0] == "bots" and any(len(set(cell["bots"])) > 1 for cell in summary["cells"]):
            continue  # where different bots meet, who wins says nothing about the seats
        if change[0] == "players" and not summary["cooperative"]:
            continue  # of course a seat wins less often with more rivals; the other sentences compare what can be compared
        own = [effect for effect in summary["effects"] if (effect["factor"], str(effect["from"]), str(effect["to"])) == change]
        wins = [effect for effect in own if effect["wins"]]
        clear = [effect for effect in wins if effect["settled"]] or [effect for effect in own if effect["settled"]]
        words = f"{instead(summary['words'], change[0], change[2], change[1])}{_over(summary, change[0])}"
        if clear:
            told = max(clear, key=lambda effect: abs(float(effect["size"])))
            length = _shorter(summary, own)
            if length and told["on"] in ("decisions", "turns", summary["cells"][0]["minutes"]["on"]):
                text = f"With {words}, {length}."
            elif length:
                text = f"With {words}{_instead(summary, told)}; {length}."
            else:
                text = f"With {words}{_instead(summary, told)}{'' if told['wins'] else _also(own, told)}."
            made.append((abs(told["size"]), text))
        elif wins:
            told = wins[0]
            more = f" About {told['more_games']:,} more games would settle it." if told["more_games"] else ""
            text = f"With {words}, {told['games']:,} games show no clear change ({_measured(told)}).{more}"
            made.append((0.0, text))
    return [text for _, text in sorted(made, key=lambda pair: -pair[0])]


def _also(own: list[dict[str, Any]], told: dict[str, Any]) -> str:
    """The clearest effect besides the first one."""
    also = max((effect for effect in own if effect is not told), key=lambda effect: abs(float(effect["size"])), default=None)
    return f"; {_measured(also)}" if also and also["settled"] and not also["wins"] else ""


def _shorter(summary: dict[str, Any], own: list[dict[str, Any]]) -> str:
    """`games are 2.57 ± 0.02 minutes shorter`, if that is certain."""
    base = summary["cells"][0]
    minutes, on = base["minutes"], base["minutes"]["on"]
    worth = minutes["mean"] / base["measures"][on]["mean"] if base["measures"][on]["mean"] else 0.0
    for effect in own:
        if effect["on"] == on and effect["settled"] and worth:
            low, high = sorted(abs(effect[end] * worth) for end in ("low", "high"))
            way = "longer" if effect["low"] > 0 else "shorter"
            return f"games are {within(abs(effect['difference'] * worth), low, high)} minutes {way}"
    return ""


def _over(summary: dict[str, Any], factor: str) -> str:
    """What a difference was averaged over, if all combinations were played."""
    others = [name for name in summary["plan"]["factors"] if name != factor] if summary["plan"]["grid"] else []
    names = [title_of(summary["words"], name) for name in others]
    return f" (averaged over all settings of {' and '.join(names)})" if others else ""


def _instead(summary: dict[str, Any], effect: dict[str, Any]) -> str:
    """`, Red wins 60 % of games instead of 55 % (+5 ± 1 percentage points)` if it is about winning, else `: “decisions” +5 ± 1`.

    The two shares belong to the same games as the difference, and are rounded so that they differ by it.
    """
    base = summary["cells"][0]
    seat = int(effect["on"].partition("_")[2] or 0) if effect["wins"] else -1
    if not 0 <= seat < len(base["seats"]):
        return f": {_measured(effect)}"
    told = effect_text(effect)
    digits = len(told.split()[0].partition(".")[2])
    old = round(100 * effect["old"], digits)
    new = old + round(100 * effect["difference"], digits)
    return f", {base['seats'][seat]['name']} wins {new:z.{digits}f} % of games instead of {old:z.{digits}f} % ({told})"


def _skill(summary: dict[str, Any]) -> list[str]:
    """Whether thinking pays: said of bots that met or, in a cooperative game, of teams that played the same deals. One sentence for
    each setting of everything else.
    """
    settings: dict[str, list[tuple[Any, ...]]] = {}
    for cell in summary["cells"]:
        name = ", ".join(phrase(summary["words"], key, value) for key, value in cell["set"].items() if key != "bots")
        if summary["cooperative"] and "bots" in cell["set"]:
            settings.setdefault(name, []).append((cell["bots"][0], cell["seats"][0], None, ""))
        elif cell["line_up"]:
            told = cell["line_up"][0]
            settings.setdefault(name, []).append((told["bot"], told, told["fair"], line_up_text(cell["bots"])))
    made: list[str] = []
    bests = []
    for name, rows in settings.items():
        where = f"With {name}: " if name else ""
        best = max(rows, key=lambda row: float(row[1]["share"]))
        if best[2] is None:
            first = f"A team of {best[0]} wins {share_text(best[1])} of games."
        else:
            first = f"{best[3]} wins {share_text(best[1])} of games; an even share would be {percent(best[2])}."
        if len(rows) > 1:
            steps = ", ".join(f"{bot} {share_text(told)}" for bot, told, *_ in rows)
            pays = "Thinking pays" if rows[-1][1]["low"] > rows[0][1]["high"] else "Thinking more doesn't visibly pay"
            made.append(f"{where}{pays}: {steps}.")
        bests.append(f"{where}{first}")
    return [*made, *bests]


def said(cell: dict[str, Any]) -> list[str]:
    """The sentences of the game's own measures (`says`), with their intervals."""
    made = []
    for told in cell["measures"].values():
        if not told["says"] or not told.get("n", 1):
            continue
        names: dict[str, Any] = {}
        plain = "{plus_minus}" in told["says"]
        if "mean" in told:
            names["mean"] = amount(told["mean"]) if plain else within(told["mean"], told["low"], told["high"])
            names["plus_minus"] = amount((told["high"] - told["low"]) / 2)
        if "share" in told:
            part = told.get("part", True)
            names["share"] = percent(told["share"], 1) if plain else share_text(told) if part else within(*_span(told))
            names["plus_minus"] = f"{50 * (told['high'] - told['low']):.2g}"
        rows = told.get("distribution") or told.get("entries") or []
        if rows:
            top = max(rows, key=lambda row: float(row.get("mean", row["share"])))
            names |= {"top": top.get("value", top.get("name")), "top_share": percent(top["share"], 1)}
        made.append(told["says"].format(**names))
    return made


def _span(told: dict[str, Any]) -> tuple[float, float, float]:
    return told["share"], told["low"], told["high"]


def minutes_text(minutes: dict[str, Any]) -> str:
    """`25.2 ± 0.9 minutes (nine games in ten: 19 to 31)`."""
    span = f"nine games in ten: {amount(minutes['p5'])} to {amount(minutes['p95'])}"
    return f"{within(minutes['mean'], minutes['low'], minutes['high'])} minutes ({span})"


def pace_text(minutes: dict[str, Any]) -> str:
    """What the minutes assume: `if each round takes 150 seconds`."""
    by, seconds = minutes["by"], f"{minutes['seconds']:g} seconds"
    if by == "decisions":
        return f"if each decision with a choice takes {seconds}"
    one_word = by.isalpha() and by.endswith("s")
    return f"if each {by[:-1]} takes {seconds}" if one_word else f"at {seconds} for each of “{by}”"


def _length(summary: dict[str, Any], cell: dict[str, Any]) -> str:
    pace = f"{pace_text(cell['minutes'])} (an assumption)"
    several = by_players(summary)
    if several:
        told = [f"{within(*(one['minutes'][key] for key in ('mean', 'low', 'high')))} with {one['players']}" for one in several]
        return f"A game lasts {', '.join(told[:-1])} and {told[-1]} players (in minutes, {pace_text(cell['minutes'])}: an assumption)."
    return f"{_where('A game', _only(summary))} lasts {minutes_text(cell['minutes'])}, {pace}."


def event_words(cell: Mapping[str, Any]) -> dict[str, str]:
    """What events say, by their names."""
    return {thing["label"]: thing["words"] for thing in cell["things"] if thing["kind"] == "event"}


def _ending(summary: dict[str, Any], cell: dict[str, Any]) -> str:
    rows = sorted(cell["measures"][cell["ending"]]["distribution"], key=lambda row: -row["share"])
    if not rows:
        return ""
    words = event_words(cell) if cell["ending"] == "last_event" else {}
    names = [f"“{words[row['value']]}”" if row["value"] in words else row["value"] for row in rows]
    told = [f"{name} {share_text(row)}" for name, row in zip(names, rows[:3], strict=False)]
    rest = f", and {len(rows) - 3} rarer {'way' if len(rows) == 4 else 'ways'}" if len(rows) > 3 else ""
    return f"{_where('How games end', _only(summary))}: {', '.join(told)}{rest}."


def twins(things: list[dict[str, Any]]) -> dict[str, str]:
    """Events that say no more than the verb they follow from, with that verb: `drops` and `drop`. They happened equally often."""
    verbs = {thing["label"]: thing for thing in things if thing["kind"] == "verb"}
    made = {}
    for event in (thing for thing in things if thing["kind"] == "event"):
        first, _, rest = event["name"].partition("_")
        for verb in (first, first.removesuffix("s"), first.removesuffix("es"), f"{first.removesuffix('ies')}y"):
            name = f"{verb}_{rest}" if rest else verb
            found = verbs.get(name) or verbs.get(f"{name}_")
            if found is not None and found["times"] == event["times"]:
                made[event["label"]] = found["label"]
    return made


def never_seen(cell: dict[str, Any]) -> list[dict[str, Any]]:
    """Moves and events that never happened in the games counted in detail, and that ended no other game either."""
    ended = {str(row["value"]) for row in cell["measures"]["last_event"]["distribution"]}
    same = twins(cell["things"])
    return [
        thing
        for thing in cell["things"]
        if thing["kind"] in ("verb", "event") and not thing["times"] and thing["label"] not in ended and thing["label"] not in same
    ]


def never_text(thing: dict[str, Any]) -> str:
    """What never happened, in words."""
    return f"“{thing['words']}”" if thing["kind"] == "event" else f"the move “{thing['label'].strip('_').replace('_', ' ')}”"


def _never(summary: dict[str, Any], cell: dict[str, Any]) -> str:
    never = sorted(never_seen(cell), key=lambda thing: thing["kind"] != "verb")
    if not never or cell["detailed_games"] < ENOUGH:
        return ""
    more = f" and {len(never) - 3} more" if len(never) > 3 else ""
    told = ", ".join(never_text(thing) for thing in never[:3])
    rare = f"less often than once in {int(cell['detailed_games'] / ODDS):,} games, if at all"
    only = f"{_only(summary)}; " if _only(summary) else ""
    return f"Never seen in {cell['detailed_games']:,} games ({only}so it happens {rare}): {told}{more}."


def drama(cell: dict[str, Any]) -> str:
    """How the lead changes, in one sentence."""
    told = cell["estimates"]
    if "comeback" not in told:
        return ""
    changes = f"the lead changes {within(*(told['lead_changes'][key] for key in ('mean', 'low', 'high')))} times per game"
    half = f"the leader at half-time wins {share_text(told['half_time'])} of games"
    return f"As estimated by {told['by']}, {changes}, {half}, and {share_text(told['comeback'])} of games are comebacks."


def agreement_text(told: dict[str, Any], what: str) -> str:
    """How far a bot's judgement can be trusted: `mcts:4000 agrees about … in 88 % ± 6 of the positions checked.`"""
    if not told["agreement"]["n"]:
        return f"No position was checked by a longer search ({told['longer']})."
    checked = f"the {told['agreement']['n']:,} positions checked"
    return f"A longer search ({told['longer']}) agrees about {what} in {share_text(told['agreement'])} of {checked}."


def decisive(told: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What decides whether a decision matters: the best other kind of action or, if there is only one kind, the second-best move."""
    if "kind" in told:
        return "the best kind of action is worth at least 2 % of a win more than any other", told["kind"]
    return "the best move is worth at least 2 % of a win more than the second-best", told["second"]


def weighed(cell: dict[str, Any]) -> str:
    """How many decisions matter, in a few sentences."""
    told = cell["decisions"]
    if not told or not told["trusted"]:
        return ""
    words, rival = decisive(told)
    most = f" and at most {percent(1 - rival['idle']['share'])}" if rival["idle"]["share"] > 0 else ""
    text = f"At least {share_text(rival['matters'])}{most} of the decisions matter ({words})."
    text += f" A middle-ranked move gives away {gap_text(told['median']['gap'])} of a win."
    if told.get("kings", {}).get("share", 0) > 0:
        text += f" In {share_text(told['kings'])} of the decisions, a player who can't win shifts the others' chances (kingmaking)."
    return text


def gap_text(gap: dict[str, Any]) -> str:
    """`33 % ± 17` of a win."""
    return within(100 * gap["mean"], 100 * gap["low"], 100 * gap["high"], " %")


def swing_text(swing: dict[str, Any], what: str = "") -> str:
    """`+4.2 ± 0.8` percentage points: the swing or, if `what` is "beyond", how much more than usual it is."""
    names = (what, f"{what}_low", f"{what}_high") if what else ("mean", "low", "high")
    value, low, high = (100 * swing[name] for name in names)
    return within(value, low, high, sign="+")


def turning(summary: dict[str, Any], cell: dict[str, Any]) -> str:
    """What turns the game, in one sentence."""
    ended = {str(row["value"]) for row in cell["measures"]["last_event"]["distribution"]}  # everybody knows that the end decides
    same = twins(cell["things"])
    told_once = [swing for swing in cell["swings"] if swing["kind"] != "event" or swing["label"] not in same]
    clear = [swing for swing in told_once if swing["clear"] and swing["label"].partition(":")[0] not in ended][:3]
    if not clear:
        return ""
    whose = "the team's" if summary["cooperative"] else "the mover's"
    told = ", ".join(f"{swing['label']} ({swing_text(swing, 'beyond')} percentage points)" for swing in clear)
    return f"Compared with the average decision, these change {whose} chance of winning most: {told}."


def _luck(summary: dict[str, Any], cell: dict[str, Any]) -> str:
    told = cell["luck"]
    if not told or any(told[part]["high"] - told[part]["low"] > 2 * VAGUE for part in ("deal", "dice", "play")):
        return ""
    deal, dice, play = (share_text(told[part]) for part in ("deal", "dice", "play"))
    who, only = f"with {players_text(cell)}", _only(summary)
    if told["deal"]["low"] + told["dice"]["low"] == 0:
        most = percent(1 - told["play"]["low"])
        return f"{_where('No luck shows', only)}, {who}: deal, dice and draws decide at most {most}, the players' choices the rest."
    return f"{_where('How much is luck', only)}, {who}: the deal decides {deal}, dice and draws {dice}, the players' choices {play}."
