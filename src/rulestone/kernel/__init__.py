"""The vocabulary for writing rules. A game's `rules.py` imports only from here and from its own folder."""

from rulestone.kernel.about import NOBODY, SPECTATOR, About, BrokenInvariant, require
from rulestone.kernel.actions import Actions, Move
from rulestone.kernel.chance import rand, shuffle, shuffle_row
from rulestone.kernel.piles import fill, lift, pick
from rulestone.kernel.reasons import Reasons, because
from rulestone.kernel.record import Record, f32, i8, i16, i32, i64, option, u8, u16, u32, u64
from rulestone.kernel.rule import rule
from rulestone.kernel.sets import list_if, list_set, lowest, nth, size
from rulestone.kernel.story import Event, Events, forget, hush, room, speak, tell, tell_more, tell_only
from rulestone.kernel.verbs import complete

__all__ = [
    "NOBODY",
    "SPECTATOR",
    "About",
    "Actions",
    "BrokenInvariant",
    "Event",
    "Events",
    "Move",
    "Reasons",
    "Record",
    "because",
    "complete",
    "f32",
    "fill",
    "forget",
    "hush",
    "i8",
    "i16",
    "i32",
    "i64",
    "lift",
    "list_if",
    "list_set",
    "lowest",
    "nth",
    "option",
    "pick",
    "rand",
    "require",
    "room",
    "rule",
    "shuffle",
    "shuffle_row",
    "size",
    "speak",
    "tell",
    "tell_more",
    "tell_only",
    "u8",
    "u16",
    "u32",
    "u64",
]
