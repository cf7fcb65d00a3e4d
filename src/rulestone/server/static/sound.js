// Short sounds and their volume, loaded once someone turns sound on. The files are made by tools/sounds.py.
import { $, make, settings } from "./common.js";

const NAMES = ["dice", "flick", "knock", "turn", "end", "tick"];
const audio = new AudioContext(), loud = audio.createGain();
loud.connect(audio.destination);
const loaded = Promise.all(NAMES.map(async (name) => {
  const answer = await fetch(new URL(`./${name}.wav`, import.meta.url));
  return [name, await audio.decodeAudioData(await answer.arrayBuffer())];
})).then(Object.fromEntries, () => ({}));  // nice to have, so no message if it fails
let coming = [];  // sounds of later steps

/** Play a sound, now or some seconds later. Browsers allow it once the person has touched the page. */
export async function play(name, later = 0) {
  if (navigator.userActivation && !navigator.userActivation.hasBeenActive) return;
  const buffer = (await loaded)[name];
  if (audio.state !== "running") await audio.resume();
  if (!buffer || !$("sound").checked) return;
  const source = audio.createBufferSource();
  source.buffer = buffer;
  source.connect(loud);
  source.start(audio.currentTime + later);
  if (later) coming.push(source);
}

/** Don't play what is still to come: the animation was skipped, or the next move is here. */
export function hush() {
  for (const source of coming) source.stop();
  coming = [];
}

const MOTIONS = { roll: "dice", flip: "flick", drop: "knock", hop: "knock", still: null, late: null };
const attribute = (text, name) => new RegExp(`^<[^>]*\\s${name}="([^"]*)"`).exec(text ?? "")?.[1];
const read = (text, name) => attribute(text, `data-${name}`);

/** The sound of a thing that moves: the one its scene names, or one that suits the way it moves. */
function kind(text) {
  const named = read(text, "sound"), motion = read(text, "motion");
  return named ?? (motion in MOTIONS ? MOTIONS[motion] : read(text, "come") ? "flick" : "knock");
}

/** The sound of a part that has changed. */
function changed(before, after) {
  if (!after || !before) return kind(after || before);
  if (read(before, "again") !== read(after, "again")) return "dice";
  if (read(before, "face") !== read(after, "face")) return read(after, "sound") ?? "flick";
  return attribute(before, "transform") === attribute(after, "transform") ? null : kind(after);
}

const first = (sounds) => [...NAMES, "none"].find((name) => sounds.includes(name));  // one is enough, and a die is heard above the rest

/** The sounds of a move that is about to be shown: one for each of its steps, or just one. */
export function moved(stage, { steps, scene }) {
  hush();
  const parts = stage.data.parts;
  const outside = /^translate\(-\d{4}/;
  const heard = steps.map(({ go }) => first(Object.entries(go).filter(([, to]) => !outside.test(to)).map(([id]) => kind(parts[id]))));
  if (!heard.some(Boolean)) return play(first(Object.entries(scene.parts).map(([id, part]) => changed(parts[id], part))) ?? "knock");
  if (!stage.speed) return play(first(heard));
  let later = 0, last = null;
  for (const [k, { ms }] of steps.entries()) {
    if (heard[k] && !(heard[k] === "dice" && last === "dice")) play(heard[k], later);
    last = heard[k];
    later += ms * stage.speed / 1000;
  }
}

// ---- the volume, below the box in the menu ---------------------------------------------------------------------------------------

const slider = make("input", { type: "range", id: "volume", min: 0, max: 100, step: 5, value: settings.get("volume", "60") });
const line = make("label", { class: "line" }, make("span", {}, "Volume"), slider);
$("sound").closest("label").after(line);
const setVolume = () => { loud.gain.value = (slider.value / 100) ** 2; };  // as ears hear it
const show = () => { line.hidden = !$("sound").checked; if (line.hidden) hush(); else if ($("menu").open) play("knock"); };
slider.addEventListener("input", () => { setVolume(); settings.set("volume", slider.value); });
slider.addEventListener("change", () => play("knock"));
$("sound").addEventListener("change", show);
setVolume();
show();
