"""The old place of `rulestone.nets.encoding`, kept until 1.0."""

from rulestone.nets.encoding import PARTS, SECRET, TOLD, Encoding

__all__ = ["PARTS", "SECRET", "TOLD", "Encoding"]
