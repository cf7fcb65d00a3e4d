"""A match that is measured while it's played, for the tests of games' measures."""

import numpy as np

from rulestone.kernel.rule import Interpreter
from rulestone.lab.count import Counter
from rulestone.lab.matches import script_of


class Watched:
    """The match, its measures so far, and its story: rows that end with the events of a move."""

    def __init__(self, match):
        module = match.game.measures
        self.match, self.measures, self.out, self.story = match, module.MEASURES, [0] * module.MEASURES.width, []
        self.maker = Interpreter()
        self.hooks = {name: self.maker.bind(getattr(module, name)) for name in ("opening", "before", "after", "finish")}
        self.hooks["opening"](match.reader, self.out)

    def step(self, action, rng=None):
        """Play and measure one move; return its events."""
        player = self.match.to_move
        self.hooks["before"](self.match.reader, action, self.out)
        events = self.match.play(action, rng=rng)
        self.hooks["after"](self.match.reader, action, player, self.out)
        if self.match.over:
            self.hooks["finish"](self.match.reader, self.out)
        return events

    def events(self, *names):
        return [event for *_, events in self.story for event in events if event.name in names]

    def __getattr__(self, name):
        return self.out[getattr(self.measures, name)]

    def of(self, name, count):
        return self.out[getattr(self.measures, name) :][:count]

    def check_against(self, counter: Counter):
        """Check that the lab's own loop measures the same for the same moves."""
        match = self.match
        row = np.full((1, len(counter.columns)), -1, np.int32)
        start, _ = match.game.prepared(match.players, match.options)
        counter.desk().play_again(start, 0, script_of(match), False, row)
        out = list(self.out)
        for name, measure in self.measures.all.items():
            if measure.each:  # nobody sits there
                first = getattr(self.measures, name)
                out[first + match.players : first + counter.seats] = [-1] * (counter.seats - match.players)
        assert row[0, 2 * counter.seats :].tolist()[: self.measures.width] == out
        assert row[0, : match.players].tolist() == [round(10_000 * value) for value in match.payoff]
