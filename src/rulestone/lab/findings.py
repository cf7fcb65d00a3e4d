"""The five sentences a report leads with: what a designer could act on, in plain words, with how sure they are."""

from __future__ import annotations

from typing import Any

MOST = 5


def findings(summary: dict[str, Any]) -> list[str]:
    """The most telling sentences first; never more than five."""
    cell = summary["cells"][0]
    made = [
        *_skill(summary)[:2],
        *_effects(summary)[:2],
        _fairness(summary, cell),
        _decisions(cell),
        _swing(summary, cell),
        *_said(cell)[:3],
        _length(cell),
        _ending(cell),
        _choice(cell),
        _content(cell),
        _drama(cell),
        _luck(cell),
    ]
    return [sentence for sentence in made if sentence][:MOST]


def percent(share: float, digits: int = 0) -> str:
    """A share as people write it; small ones with as many digits as they need.

    >>> percent(0.5538), percent(0.5538, 1), percent(0.00274)
    ('55 %', '55.4 %', '0.3 %')
    """
    if 0 < share < 0.01 or 0.99 < share < 1:
        digits = max(digits, 1)
    return f"{100 * share:.{digits}f} %"


def plus_minus(told: dict[str, Any]) -> str:
    """Half the interval, in points of a share, to one significant digit."""
    reach = 100 * (told["high"] - told["low"]) / 2
    return f"{reach:.0f}" if reach >= 1 else f"{reach:.1f}" if reach >= 0.1 else f"{reach:.2f}"


def share_text(told: dict[str, Any]) -> str:
    """`55.4 % ± 0.4`."""
    sure = plus_minus(told)
    return f"{percent(told['share'], len(sure.partition('.')[2]))} ± {sure}"


def amount(value: float) -> str:
    """A number with three significant digits.

    >>> amount(21.3419), amount(1234.5), amount(0.0123)
    ('21.3', '1,234', '0.0123')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def players_text(cell: dict[str, Any]) -> str:
    """`random players`, or the line-up."""
    kinds = dict.fromkeys(cell["bots"])
    words = {"random": "random play", "greedy": "the game's own bots"}
    return " and ".join(words.get(bot, f"{bot} bots") for bot in kinds)


def _fairness(summary: dict[str, Any], cell: dict[str, Any]) -> str:
    varied = f" ({cell['label']})" if cell["set"] else ""
    if summary["cooperative"]:
        return f"The team wins {share_text(cell['seats'][0])} of games with {players_text(cell)}{varied}."
    if len(set(cell["bots"])) > 1:
        return ""
    best = max(cell["seats"], key=lambda seat: float(seat["share"]))
    worst = min(cell["seats"], key=lambda seat: float(seat["share"]))
    if best["low"] <= worst["high"]:
        text = (
            f"The seats look fair with {players_text(cell)}{varied}: each wins {percent(worst['share'], 1)} to {percent(best['share'], 1)}"
        )
        return f"{text}, and {cell['games']:,} games cannot tell them apart."
    others = f"{worst['name']} {share_text(worst)}"
    fair = percent(cell["fair"])
    return f"{best['name']} wins {share_text(best)} of games with {players_text(cell)}{varied}, {others}; even would be {fair}."


def effect_text(effect: dict[str, Any]) -> str:
    """`+4.4 points (± 0.5)` or `-10.3 (± 0.1)`."""
    reach = (effect["high"] - effect["low"]) / 2
    if effect["share"]:
        return f"{100 * effect['difference']:+.1f} points (± {100 * reach:.1f})"
    return f"{effect['difference']:+.3g} (± {reach:.2g})"


def _effects(summary: dict[str, Any]) -> list[str]:
    """For each change what it does to winning most clearly, else to anything; the largest effects first."""
    made = []
    for change in dict.fromkeys((effect["factor"], str(effect["from"]), str(effect["to"])) for effect in summary["effects"]):
        if change[0] == "bots":
            continue
        own = [effect for effect in summary["effects"] if (effect["factor"], str(effect["from"]), str(effect["to"])) == change]
        wins = [effect for effect in own if effect["wins"]]
        clear = [effect for effect in wins if effect["settled"]] or [effect for effect in own if effect["settled"]]
        words = f"{change[0]} {change[2]} instead of {change[1]}"
        if clear:
            told = max(clear, key=lambda effect: abs(float(effect["size"])))
            also = max((effect for effect in own if effect is not told), key=lambda effect: abs(float(effect["size"])), default=None)
            more = f", and {also['label']} {effect_text(also)}" if also and also["settled"] and not also["wins"] else ""
            made.append((abs(told["size"]), f"With {words}{_instead(summary, told)} {effect_text(told)}{more}."))
        elif wins:
            told = wins[0]
            more = f"; some {told['more_games']:,} more games would settle it" if told["more_games"] else ""
            text = f"With {words} nothing changes that {told['games']:,} games could show ({told['label']} {effect_text(told)}){more}."
            made.append((0.0, text))
    return [text for _, text in sorted(made, key=lambda pair: -pair[0])]


def _instead(summary: dict[str, Any], effect: dict[str, Any]) -> str:
    """` Red wins 60 % instead of 55 %:` if it is about winning, else `: decisions`."""
    base = summary["cells"][0]
    wanted = {**base["set"], effect["factor"]: effect["to"]}
    changed = next((cell for cell in summary["cells"] if cell["set"] == wanted), None)
    seat = int(effect["on"].partition("_")[2] or 0) if effect["wins"] else -1
    if changed is None or not 0 <= seat < min(len(base["seats"]), len(changed["seats"])):
        return f": {effect['label']}"
    new, old = (percent(cell["seats"][seat]["share"], 1) for cell in (changed, base))
    return f" {base['seats'][seat]['name']} wins {new} instead of {old}:"


def _skill(summary: dict[str, Any]) -> list[str]:
    made = []
    for cell in summary["cells"]:
        if summary["cooperative"] and "bots" in cell["set"]:
            made.append((cell["bots"][0], cell["seats"][0], None, ""))
        elif cell["line_up"]:
            told = cell["line_up"][0]
            made.append((told["bot"], told, told["fair"], " and ".join(dict.fromkeys(cell["bots"][1:]))))
    if not made:
        return []
    best = max(made, key=lambda row: float(row[1]["share"]))
    against = f" against {best[3]} (even would be {percent(best[2])})" if best[2] is not None else ""
    first = f"{best[0]} wins {share_text(best[1])}{against}."
    if len(made) < 2:
        return [first]
    steps = ", ".join(f"{bot} {percent(told['share'], 1)}" for bot, told, *_ in made)
    low, high = made[0][1], made[-1][1]
    pays = "Thinking pays" if high["low"] > low["high"] else "Thinking more does not pay visibly"
    return [f"{pays}: {steps}.", first]


def _said(cell: dict[str, Any]) -> list[str]:
    """Sentences that the game's own measures want told."""
    made = []
    for told in cell["measures"].values():
        if not told["says"] or not told.get("n", 1):
            continue
        names: dict[str, Any] = {}
        if "mean" in told:
            names |= {"mean": amount(told["mean"]), "plus_minus": amount((told["high"] - told["low"]) / 2)}
        if "share" in told:
            names |= {"share": percent(told["share"], 1), "plus_minus": plus_minus(told)}
        rows = told.get("distribution") or told.get("entries") or []
        if rows:
            top = max(rows, key=lambda row: float(row.get("mean", row["share"])))
            names |= {"top": top.get("value", top.get("name")), "top_share": percent(top["share"], 1)}
        made.append(told["says"].format(**names))
    return made


def _length(cell: dict[str, Any]) -> str:
    told, minutes = cell["measures"]["decisions"], cell["minutes"]
    span = f"nine in ten between {told.get('p5', 0):,} and {told.get('p95', 0):,}"
    by = "a decision" if minutes["by"] == "decisions" else f"each of the {minutes['by']}"
    seconds = f"{minutes['seconds']:.0f} seconds for {by}"
    return f"A game takes {amount(told['mean'])} decisions ({span}), about {amount(minutes['mean'])} minutes for people at {seconds}."


def _ending(cell: dict[str, Any]) -> str:
    rows = sorted(cell["measures"][cell["ending"]]["distribution"], key=lambda row: -row["share"])
    if not rows:
        return ""
    shown = ", ".join(f"{row['value']} {percent(row['share'])}" for row in rows[:4])
    return f"How games end: {shown}."


def _choice(cell: dict[str, Any]) -> str:
    branching = cell["branching"]
    if branching["forced"] < 0.2:
        return ""
    return f"{percent(branching['forced'])} of decisions leave no choice at all; where there is one, look at what is offered."


def never_seen(cell: dict[str, Any]) -> list[str]:
    """Moves and events of which there was none in the games that were looked at, and which ended no other game either."""
    ended = {str(row["value"]) for row in cell["measures"]["last_event"]["distribution"]}
    return [
        thing["label"]
        for thing in cell["things"]
        if thing["kind"] in ("verb", "event") and not thing["times"] and thing["label"] not in ended
    ]


def _content(cell: dict[str, Any]) -> str:
    verbs = [thing for thing in cell["things"] if thing["kind"] == "verb"]
    never = never_seen(cell)
    if never:
        more = f" and {len(never) - 4} more" if len(never) > 4 else ""
        return f"Never happened in {cell['detailed_games']:,} games: {', '.join(never[:4])}{more}."
    offered = [thing for thing in verbs if thing.get("taken") is not None]
    if len(offered) < 2:
        return ""
    least = min(offered, key=lambda thing: float(thing["taken"]))
    return f"The move least taken when it could be is {least['label']}: {percent(least['taken'], 1)} of its chances."


def _drama(cell: dict[str, Any]) -> str:
    told = cell["estimates"]
    if "comeback" not in told:
        return ""
    changes = f"the lead changes {amount(told['lead_changes']['mean'])} times a game"
    half = f"who leads at half-time wins {percent(told['half_time']['share'])}"
    return f"By {told['by']}'s estimates {changes}, {half}, and {percent(told['comeback']['share'])} of games are comebacks."


def decisive(told: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What a decision is measured by: another kind of action, or, where there is only one kind, another move."""
    if "kind" in told:
        return "the best kind of action is worth 2 % of a win more than any other", told["kind"]
    return "the best move is worth 2 % of a win more than the second-best", told["second"]


def _decisions(cell: dict[str, Any]) -> str:
    told = cell["decisions"]
    if not told:
        return ""
    words, rival = decisive(told)
    most = f", and at most {percent(1 - rival['idle']['share'])}" if rival["idle"]["share"] > 0 else ""
    text = f"At least {share_text(rival['matters'])} of the decisions matter ({words}){most}"
    median = told["median"]["gap"]
    text += f"; a middling move gives away {100 * median['mean']:.1f} % ± {100 * (median['high'] - median['low']) / 2:.1f} of a win"
    if told.get("kings", {}).get("share", 0) > 0:
        text += f"; in {share_text(told['kings'])} a player without a chance decides among the others"
    return f"{text}."


def swing_text(swing: dict[str, Any], what: str = "mean") -> str:
    """`+4.2 ± 0.8` points of a win."""
    return f"{round(100 * swing[what], 1) + 0.0:+.1f} ± {100 * (swing['high'] - swing['low']) / 2:.1f}"


def _swing(summary: dict[str, Any], cell: dict[str, Any]) -> str:
    ended = {str(row["value"]) for row in cell["measures"]["last_event"]["distribution"]}  # that the end decides is no news
    clear = [swing for swing in cell["swings"] if swing["clear"] and swing["label"].partition(":")[0] not in ended][:3]
    if not clear:
        return ""
    whose = "the team's" if summary["cooperative"] else "the mover's"
    told = ", ".join(f"{swing['label']} ({swing_text(swing, 'beyond')} points)" for swing in clear)
    return f"What moves {whose} chance most, beyond what any decision does: {told}."


def _luck(cell: dict[str, Any]) -> str:
    told = cell["luck"]
    if not told:
        return ""
    parts = f"{percent(told['deal']['share'])} by the deal, {percent(told['dice']['share'])} by the dice and draws after it"
    return f"Of what decides a game, {parts}, and {percent(told['play']['share'])} by what players do ({players_text(cell)})."
