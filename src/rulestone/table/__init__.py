"""The kit for drawing scenes. It knows nothing about particular games or the web. See docs/scenes.md.

A game's `scene.py` imports from here:

    from rulestone.table import Card, Part, Scene, Step, kit, svg
"""

from rulestone.table import kit, svg
from rulestone.table.face import Face
from rulestone.table.scene import Aids, Card, Part, Plate, Scene, Step, View

__all__ = ["Aids", "Card", "Face", "Part", "Plate", "Scene", "Step", "View", "kit", "svg"]
