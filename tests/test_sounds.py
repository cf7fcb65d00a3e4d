"""The sounds of the table are what the script makes, and small."""

import wave

from tools import sounds

from rulestone.server.assets import FILES, PACKED
from rulestone.table import svg


def test_the_script_makes_the_sounds_byte_for_byte(tmp_path):
    sounds.main([str(tmp_path)])
    made = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert made == {name: content for name, content in FILES.items() if name.endswith(".wav")}


def test_all_sounds_together_weigh_a_few_kilobytes():
    assert sum(len(packed) for name, packed in PACKED.items() if name.endswith(".wav")) < 16_000


def test_every_sound_is_short_loud_enough_and_ends_quietly():
    for name in sounds.every_sound():
        with wave.open(str(sounds.STATIC / f"{name}.wav")) as file:
            levels = file.readframes(file.getnframes())
            assert (file.getnchannels(), file.getsampwidth()) == (1, 1)
            assert 0.02 < file.getnframes() / file.getframerate() < 1
        assert max(abs(level - 128) for level in levels) > 100
        assert max(abs(level - 128) for level in levels[-20:]) < 8, f"{name} would end with a click"


def test_a_scene_can_name_the_sound_of_a_thing():
    assert 'data-sound="dice"' in svg.thing("cup", sound="dice")
    assert "data-sound" not in svg.thing("cup")
