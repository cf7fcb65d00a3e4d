"""The five findings a report starts with: what a designer can act on, in plain words, with the uncertainty."""

from __future__ import annotations

from typing import Any

MOST = 5


def findings(summary: dict[str, Any]) -> list[str]:
    """The findings, most important first; never more than five."""
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
    """A share as a percentage; shares near 0 or 1 get at least one decimal.

    >>> percent(0.5538), percent(0.5538, 1), percent(0.00274)
    ('55 %', '55.4 %', '0.3 %')
    """
    if 0 < share < 0.01 or 0.99 < share < 1:
        digits = max(digits, 1)
    return f"{100 * share:z.{digits}f} %"


def plus_minus(told: dict[str, Any]) -> str:
    """Half the width of the interval, in percentage points, to one significant digit."""
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
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:z.3g}"


def players_text(cell: dict[str, Any]) -> str:
    """`random play`, or the bots of the line-up."""
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
        span = f"{percent(worst['share'], 1)} to {percent(best['share'], 1)}"
        text = f"The seats look fair with {players_text(cell)}{varied}: each wins {span} of games"
        return f"{text}, and {cell['games']:,} games show no clear difference."
    most, least = (" (the most)", " (the fewest)") if len(cell["seats"]) > 2 else ("", "")
    text = f"{best['name']} wins {share_text(best)} of games{most} and {worst['name']} {share_text(worst)}{least}"
    return f"With {players_text(cell)}{varied}, {text}. An even share would be {percent(cell['fair'])}."


def effect_text(effect: dict[str, Any]) -> str:
    """`+4.4 ± 0.5 percentage points` or `-10.3 ± 0.1`."""
    reach = (effect["high"] - effect["low"]) / 2
    if effect["share"]:
        return f"{100 * effect['difference']:+z.1f} ± {100 * reach:.1f} percentage points"
    return f"{effect['difference']:+z.3g} ± {reach:.2g}"


def _measured(effect: dict[str, Any]) -> str:
    return f"“{effect['label']}” {effect_text(effect)}"


def _effects(summary: dict[str, Any]) -> list[str]:
    """For each change, its clearest effect on who wins, or else on anything; the largest effects first."""
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
            more = f"; {_measured(also)}" if also and also["settled"] and not also["wins"] else ""
            made.append((abs(told["size"]), f"With {words}{_instead(summary, told)}{more}."))
        elif wins:
            told = wins[0]
            more = f" About {told['more_games']:,} more games would settle it." if told["more_games"] else ""
            text = f"With {words}, {told['games']:,} games show no clear change ({_measured(told)}).{more}"
            made.append((0.0, text))
    return [text for _, text in sorted(made, key=lambda pair: -pair[0])]


def _instead(summary: dict[str, Any], effect: dict[str, Any]) -> str:
    """`, Red wins 60 % of games instead of 55 % (+5 ± 1 percentage points)` if it is about winning, else `: “decisions” +5 ± 1`."""
    base = summary["cells"][0]
    wanted = {**base["set"], effect["factor"]: effect["to"]}
    changed = next((cell for cell in summary["cells"] if cell["set"] == wanted), None)
    seat = int(effect["on"].partition("_")[2] or 0) if effect["wins"] else -1
    if changed is None or not 0 <= seat < min(len(base["seats"]), len(changed["seats"])):
        return f": {_measured(effect)}"
    new, old = (percent(cell["seats"][seat]["share"], 1) for cell in (changed, base))
    return f", {base['seats'][seat]['name']} wins {new} of games instead of {old} ({effect_text(effect)})"


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
    against = f" against {best[3]}; an even share would be {percent(best[2])}" if best[2] is not None else ""
    first = f"{best[0]} wins {share_text(best[1])} of games{against}."
    if len(made) < 2:
        return [first]
    steps = ", ".join(f"{bot} {percent(told['share'], 1)}" for bot, told, *_ in made)
    low, high = made[0][1], made[-1][1]
    pays = "Thinking pays" if high["low"] > low["high"] else "Thinking more doesn't visibly pay"
    return [f"{pays}: {steps}.", first]


def _said(cell: dict[str, Any]) -> list[str]:
    """The sentences of the game's own measures (`says`)."""
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
    span = f"nine games in ten: {told.get('p5', 0):,} to {told.get('p95', 0):,}"
    by = "per decision" if minutes["by"] == "decisions" else f"for each of the {minutes['by']}"
    time = f"people need about {amount(minutes['mean'])} minutes, at {minutes['seconds']:.0f} seconds {by}"
    return f"A game takes {amount(told['mean'])} decisions on average ({span}); {time}."


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
    return f"In {percent(branching['forced'])} of decisions only one move is possible, so the player has no choice."


def never_seen(cell: dict[str, Any]) -> list[str]:
    """Moves and events that never happened in the games counted in detail, and that ended no other game either."""
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
    return f"The least popular move is {least['label']}: players take it {percent(least['taken'], 1)} of the times they can."


def _drama(cell: dict[str, Any]) -> str:
    told = cell["estimates"]
    if "comeback" not in told:
        return ""
    changes = f"the lead changes {amount(told['lead_changes']['mean'])} times per game"
    half = f"the leader at half-time wins {percent(told['half_time']['share'])} of games"
    return f"As estimated by {told['by']}, {changes}, {half}, and {percent(told['comeback']['share'])} of games are comebacks."


def decisive(told: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What decides whether a decision matters: the best other kind of action or, if there is only one kind, the second-best move."""
    if "kind" in told:
        return "the best kind of action is worth at least 2 % of a win more than any other", told["kind"]
    return "the best move is worth at least 2 % of a win more than the second-best", told["second"]


def _decisions(cell: dict[str, Any]) -> str:
    told = cell["decisions"]
    if not told:
        return ""
    words, rival = decisive(told)
    most = f" and at most {percent(1 - rival['idle']['share'])}" if rival["idle"]["share"] > 0 else ""
    text = f"At least {share_text(rival['matters'])}{most} of the decisions matter ({words})."
    text += f" A middle-ranked move gives away {gap_text(told['median']['gap'])} of a win."
    if told.get("kings", {}).get("share", 0) > 0:
        text += f" In {share_text(told['kings'])} of the decisions, a player who can't win shifts the others' chances (kingmaking)."
    return text


def gap_text(gap: dict[str, Any]) -> str:
    """`33.2 % ± 17.3` of a win."""
    return f"{100 * gap['mean']:z.1f} % ± {100 * (gap['high'] - gap['low']) / 2:.1f}"


def swing_text(swing: dict[str, Any], what: str = "mean") -> str:
    """`+4.2 ± 0.8` percentage points."""
    return f"{100 * swing[what]:+z.1f} ± {100 * (swing['high'] - swing['low']) / 2:.1f}"


def _swing(summary: dict[str, Any], cell: dict[str, Any]) -> str:
    ended = {str(row["value"]) for row in cell["measures"]["last_event"]["distribution"]}  # everybody knows that the end decides
    clear = [swing for swing in cell["swings"] if swing["clear"] and swing["label"].partition(":")[0] not in ended][:3]
    if not clear:
        return ""
    whose = "the team's" if summary["cooperative"] else "the mover's"
    told = ", ".join(f"{swing['label']} ({swing_text(swing, 'beyond')} percentage points)" for swing in clear)
    return f"Compared with the average decision, these change {whose} chance of winning most: {told}."


def _luck(cell: dict[str, Any]) -> str:
    told = cell["luck"]
    if not told:
        return ""
    luck = f"{percent(told['deal']['share'])} the deal, {percent(told['dice']['share'])} the dice and draws after it"
    return f"What decides a game with {players_text(cell)}: {luck}, {percent(told['play']['share'])} the players' choices."
