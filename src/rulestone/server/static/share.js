// The share dialog of a finished game: a link, who can open it, an animated picture, code for other sites.
import { call, make, toast } from "./common.js";
import { reach } from "./reach.js";

async function copy(text, said) { try { await navigator.clipboard.writeText(text); toast(said); } catch { toast(text); } }

export async function share(table) {
  let can;
  try { can = await call("GET", `/api/tables/${table}/share`); } catch (problem) { toast(problem.message); return; }
  const { others, far } = reach(), link = `${location.origin}/t/${table}/replay#end`;
  const code = `<iframe src="${location.origin}/embed/${table}" title="${can.title}" width="640" height="560" loading="lazy"></iframe>`;
  const close = () => box.close();
  const act = (text, said) => () => { copy(text, said); close(); };
  const field = make("input", { readonly: true, value: link, "aria-label": "Link to the replay", onfocus: () => field.select() });
  const box = make("dialog", { class: "ask share", "aria-labelledby": "share-title", onclose: () => box.remove() },
    make("h2", { id: "share-title" }, "Share this game"),
    can.anyone ? make("img", { src: `/t/${table}/preview.png`, alt: "The last position, as the link's preview shows it", width: 1200, height: 630 }) : null,
    make("div", { class: "share-link" }, field, make("button", { type: "button", class: "primary", onclick: act(link, "Link copied.") }, "Copy link")),
    make("p", { id: "share-who" }, can.anyone ? others : `This table is private: only its players can open the link.${far ? "" : ` ${others}`}`),
    make("p", { class: "buttons" },
      navigator.share && far ? make("button", { type: "button", onclick: () => { navigator.share({ title: can.title, url: link }).catch(() => {}); close(); } }, "Send…") : null,
      make("a", { class: "button", href: `/t/${table}/game.svg`, download: `${can.title}.svg` }, "Animated picture"),
      can.embed ? make("button", { type: "button", onclick: act(code, "Code copied. Paste it into your page.") }, "Code for your site") : null,
      make("button", { type: "button", class: "quiet", onclick: close }, "Close")));
  document.body.append(box);
  box.showModal();
}
