"""The old name of `rulestone.bots.calibrate`, kept until 1.0."""

from rulestone.bots.calibrate import Calibration as Foretold
from rulestone.bots.calibrate import calibrate as foretell

__all__ = ["Foretold", "foretell"]
