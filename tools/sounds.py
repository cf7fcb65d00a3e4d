"""Make the short sounds of the table: `make sounds`, or `python -m tools.sounds [FOLDER]`.

Each sound is computed from a few damped tones and a little noise, so the files are the same bytes whenever they are made.
"""

from __future__ import annotations

import io
import sys
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

STATIC = Path(__file__).parents[1] / "src" / "rulestone" / "server" / "static"
RATE = 11_025
LOUDEST = 0.9

Wave = npt.NDArray[np.float64]


def silence(seconds: float) -> Wave:
    return np.zeros(round(seconds * RATE))


def tone(seconds: float, hertz: float, fades: float, attack: float = 0.001) -> Wave:
    """One damped tone: it swells for `attack` seconds, then falls to a third every `fades` seconds."""
    t = np.arange(round(seconds * RATE)) / RATE
    return np.sin(2 * np.pi * hertz * t) * np.minimum(1, t / attack) * np.exp(-t / fades)


def noise(seconds: float, fades: float, attack: float, seed: int) -> Wave:
    """A breath of noise without its lowest and highest parts."""
    t = np.arange(round(seconds * RATE)) / RATE
    raw = np.random.default_rng(seed).random(len(t)) * 2 - 1
    smooth = np.convolve(raw, np.ones(2) / 2, "same") - np.convolve(raw, np.ones(12) / 12, "same")
    return smooth * np.minimum(1, t / attack) * np.exp(-t / fades)


def mixed(seconds: float, *parts: tuple[float, float, Wave]) -> Wave:
    """Several waves in one; each part is (seconds until it starts, loudness, wave)."""
    out = silence(seconds)
    for start, loudness, part in parts:
        first = round(start * RATE)
        out[first : first + len(part)] += loudness * part[: len(out) - first]
    return out


def knock(pitch: float = 1.0, seed: int = 1) -> Wave:
    """Wood on wood: three tones that don't fit together, and the touch itself."""
    tones = [
        (0.0, loudness, tone(0.11, hertz * pitch, fades))
        for hertz, loudness, fades in ((392, 1, 0.022), (941, 0.5, 0.012), (1730, 0.25, 0.006))
    ]
    return mixed(0.11, *tones, (0.0, 0.5, noise(0.03, 0.004, 0.0005, seed)))


def flick() -> Wave:
    """A card or tile laid down: a soft brush, then the edge."""
    return mixed(0.09, (0.0, 0.6, noise(0.09, 0.03, 0.02, 2)), (0.045, 1, noise(0.04, 0.006, 0.001, 3)))


def dice() -> Wave:
    """A die that rolls out: knocks that come closer together and grow softer."""
    starts = (0.0, 0.085, 0.15, 0.2, 0.24, 0.27, 0.295)
    return mixed(0.38, *((start, 0.88**k, knock(2.3 + 0.35 * (k * 5 % 3), k)) for k, start in enumerate(starts)))


def notes(seconds: float, *played: tuple[float, float]) -> Wave:
    """Warm notes, each (seconds until it starts, hertz): a string with two soft overtones."""
    parts = []
    for start, hertz in played:
        left = seconds - start
        parts += [(start, loudness, tone(left, hertz * over, 0.16 / over, 0.012)) for over, loudness in ((1, 1), (2, 0.3), (3, 0.12))]
    whole = mixed(seconds, *parts)
    return whole * np.minimum(1, (seconds - np.arange(len(whole)) / RATE) / 0.05)


def every_sound() -> dict[str, Wave]:
    return {
        "knock": knock(),
        "flick": flick(),
        "dice": dice(),
        "turn": notes(0.42, (0.0, 392.0), (0.13, 523.25)),
        "end": notes(0.75, (0.0, 261.63), (0.06, 329.63), (0.12, 392.0), (0.18, 523.25)),
        "tick": mixed(0.04, (0.0, 1, tone(0.04, 1180, 0.006)), (0.0, 0.3, tone(0.04, 2360, 0.003))),
    }


def packed(sound: Wave) -> bytes:
    """A WAV file: one channel, eight bits."""
    level = np.round(sound / np.abs(sound).max() * LOUDEST * 127 + 128).astype(np.uint8)
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(RATE)
        file.writeframes(level.tobytes())
    return out.getvalue()


def main(arguments: Sequence[str]) -> None:
    folder = Path(arguments[0]) if arguments else STATIC
    for name, sound in every_sound().items():
        (folder / f"{name}.wav").write_bytes(packed(sound))


if __name__ == "__main__":
    main(sys.argv[1:])
