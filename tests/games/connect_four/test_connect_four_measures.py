"""What the lab measures in Connect Four: which squares each side takes."""

import pytest

from rulestone.lab import study

pytestmark = pytest.mark.xdist_group("lab")


def test_every_disc_is_counted_on_its_square_and_for_its_side():
    cell = study("connect_four", games=200, workers=1)["cells"][0]
    red, blue = (cell["measures"][name]["entries"] for name in ("red", "blue"))
    assert sum(entry["mean"] for entry in red + blue) == pytest.approx(cell["measures"]["decisions"]["mean"], rel=1e-4)
    assert 0 <= sum(entry["mean"] for entry in red) - sum(entry["mean"] for entry in blue) <= 1, "Red begins"
    assert red[0]["name"] == "column 1, row 1 from the bottom"
    assert all(low["mean"] + other["mean"] <= 1 for low, other in zip(red, blue, strict=True)), "a square is taken once"
