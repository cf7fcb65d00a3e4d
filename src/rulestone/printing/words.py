"""Text for typst: plain words as typst's strings, and Markdown as typst's markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

BULLETS = {"bullet_list_open": "list", "ordered_list_open": "enum"}


def curled(text: str, before: str = "") -> str:
    """A text with typographic quotation marks; `before` is the letter in front of it, if it continues a line.

    >>> curled('It says "Medusa\\'s head".')
    'It says “Medusa’s head”.'
    """
    text = re.sub(r"(^|[\s(\[—–])\"", r"\1“", before + text)[len(before) :]
    return text.replace('"', "”").replace("'", "’")


def string(text: str) -> str:
    """A string of typst's.

    >>> print(string('a "b"'))
    "a \\"b\\""
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def said(text: str, before: str = "") -> str:
    """Words as they are, in typst's markup."""
    return f"#{string(curled(text, before))};" if text else ""


def markup(text: str, figure: Callable[[str], str]) -> str:
    """Markdown as typst's markup; `figure` makes a picture of a fenced block `scene`."""
    tokens = MarkdownIt("commonmark", {"html": False}).enable("table").parse(text)
    return "".join(_blocks(tokens, figure))


def _blocks(tokens: Sequence[Token], figure: Callable[[str], str]) -> Iterator[str]:
    for number, token in enumerate(tokens):
        match token.type:
            case "inline" if token.content.endswith(":") and tokens[number - 1].type == "paragraph_open":  # never the last line of a page
                yield f"#lead[{_inline(token.children or [])}]"
            case "heading_open":
                yield f"\n#heading(level: {token.tag[1:]})["
            case "heading_close":
                yield "]\n"
            case "inline":
                yield _inline(token.children or [])
            case "paragraph_close":
                yield "\n\n"
            case "bullet_list_open" | "ordered_list_open":
                yield f"#{BULLETS[token.type]}("
            case "list_item_open" | "th_open" | "td_open":
                yield "["
            case "list_item_close" | "th_close" | "td_close":
                yield "],"
            case "bullet_list_close" | "ordered_list_close" | "table_close":
                yield ")\n"
            case "table_open":
                yield f"#table(columns: {_columns(tokens, token)}, "
            case "thead_open":
                yield "table.header("
            case "thead_close":
                yield "),"
            case "blockquote_open":
                yield "#quote(block: true)["
            case "blockquote_close":
                yield "]\n"
            case "fence" | "code_block":
                yield figure(token.content) if token.info == "scene" else f"#raw({string(token.content)}, block: true)\n"
            case "hr":
                yield "#line(length: 100%, stroke: 0.4pt)\n"


def _columns(tokens: Sequence[Token], table: Token) -> int:
    start = next(k for k, token in enumerate(tokens) if token is table)
    end = next(k for k in range(start, len(tokens)) if tokens[k].type == "thead_close")
    return sum(token.type == "th_open" for token in tokens[start:end])


def _inline(tokens: Sequence[Token]) -> str:
    made, before = [], ""
    for token in tokens:
        match token.type:
            case "text":
                made.append(said(token.content, before))
            case "code_inline":
                made.append(f"#raw({string(token.content)});")
            case "strong_open":
                made.append("#strong[")
            case "em_open":
                made.append("#emph[")
            case "strong_close" | "em_close":
                made.append("];")
            case "softbreak":
                made.append(" ")
            case "hardbreak":
                made.append("#linebreak();")
        before = token.content[-1:] or (" " if token.type == "softbreak" else before)
    return "".join(made)
