"""Print-and-play: a game as a PDF to print, cut out and play. See docs/print.md.

>>> from rulestone.game import load
>>> made = prepare(load("connect_four"), Order(only=("disks",)))
>>> [(sheet.side, sum(sheet.counts.values())) for sheet in made.sheets]
[('one side', 42)]
"""

from rulestone.printing.document import Printed, prepare, print_game, typeset
from rulestone.printing.order import PARTS, CannotPrint, Order, box_of
from rulestone.printing.sheets import PAPERS, Sheet

__all__ = ["PAPERS", "PARTS", "CannotPrint", "Order", "Printed", "Sheet", "box_of", "prepare", "print_game", "typeset"]
