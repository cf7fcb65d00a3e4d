"""For mkdocstrings: interactive examples in docstrings are shown as code."""

from __future__ import annotations

from typing import Any

import griffe

from tools.reference import fenced


class Examples(griffe.Extension):
    """Puts the examples of every docstring into blocks of code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
