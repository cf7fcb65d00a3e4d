"""Reviews: what every decision of a finished game kept, and what would have kept more. Called as a function, `rulestone.review(match)`."""

from __future__ import annotations

import sys
import types
from typing import Any

from rulestone.review.advice import Advice, advise
from rulestone.review.judge import Candidate, Judge
from rulestone.review.whole import Account, Decision, Option, Review, review

__all__ = ["Account", "Advice", "Candidate", "Decision", "Judge", "Option", "Review", "advise", "review"]


class _Review(types.ModuleType):
    """A module that can be called, because `review` is both a room of the house and a function people call."""

    def __call__(self, *given: Any, **also: Any) -> Review:
        return review(*given, **also)


sys.modules[__name__].__class__ = _Review
