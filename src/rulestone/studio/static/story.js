// The story: every move, and what this viewer was told of it. A click steps there.
import { make, sentence } from "./common.js";

export function mount(box, studio) {
  const list = make("ol", { class: "story", tabindex: "0", "aria-label": "Moves and what was told" });
  box.append(list);
  const show = () => {
    const { line, frame, names } = studio.table, told = frame.story.lines;
    list.replaceChildren(...line.moments.map((moment, place) => make("li", { class: `told${place === line.at ? " lit" : ""}${place > line.at ? " ahead" : ""}` },
      make("button", { type: "button", class: "moment", "aria-current": place === line.at ? "step" : null, onclick: () => studio.go(place) },
        moment.player === null ? moment.label : `${names[moment.player]}: ${moment.label}`, moment.rng === null ? null : make("small", {}, ` dice by hand (${moment.rng})`)),
      ...(place === line.at ? told.map((text) => make("p", {}, ...sentence(text, studio.game))) : []))));
    list.querySelector(".lit")?.scrollIntoView({ block: "nearest" });
    studio.note("story", `${line.at} of ${line.moments.length - 1}`);
  };
  studio.on("table", show);
  show();
}
