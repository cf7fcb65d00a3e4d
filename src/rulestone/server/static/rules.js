// The rules page. A click plays the move that a picture shows, another one resets it. A link to a ruling opens its section.
import { call, laidOut, toast } from "./common.js";
import { Stage } from "./stage.js";

const SVG = "http://www.w3.org/2000/svg";
for (const figure of document.querySelectorAll("figure.shown")) {
  const button = figure.querySelector("button");
  if (!button) continue;
  const image = figure.querySelector("img");
  let stage = null, data = null, played = false, busy = false;
  const light = (on) => { for (const id of data.light) stage.thing(id)?.classList.toggle("flash", on); };
  const turn = async () => {
    if (busy) return;
    busy = true;
    try {
      data ??= await call("GET", laidOut(figure.dataset.picture));
      if (!stage) {
        const svg = document.createElementNS(SVG, "svg");
        svg.setAttribute("class", "scene");
        svg.setAttribute("role", "img");
        image.parentElement.replaceWith(svg);
        stage = new Stage(svg);
        stage.patch(data.frames[0].scene);
        svg.addEventListener("click", turn);
      }
      const [before, after] = data.frames;
      light(false);
      if (played) { stage.patch(before.scene); light(true); } else await stage.show(after.scene, after.steps);
      played = !played;
      button.textContent = played ? "Show it again" : "Show the move";
    } catch (problem) { toast(problem.message); }
    busy = false;
  };
  button.hidden = false;
  button.addEventListener("click", turn);
  image.addEventListener("click", turn);
}

/** Open the section that the link's target is folded into. */
function reveal() {
  const target = document.getElementById(location.hash.slice(1)), fold = target?.closest("details");
  if (!fold || fold.open) return;
  fold.open = true;
  target.scrollIntoView();
}

addEventListener("hashchange", reveal);
reveal();
