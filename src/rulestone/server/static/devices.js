// My devices: a name that is kept, linking another device, signing one out, being forgotten.
import { $, call, keepName, make, settings, toast } from "./common.js";
import { reach } from "./reach.js";

const attempt = async (act) => { try { return await act(); } catch (problem) { toast(problem.message); return null; } };
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });
let shown = null, ticking = 0, count = 0;

async function show() {
  const me = await attempt(() => call("GET", "/api/me"));
  if (!me) return;
  if (me.name) settings.set("name", me.name);
  if (document.activeElement !== $("name")) $("name").value = settings.get("name", "");
  $("devices").replaceChildren(...me.devices.map((device) => make("li", {},
    make("span", {}, make("strong", {}, device.name), device.this ? " · this device" : ""),
    make("small", {}, `since ${day.format(new Date(device.since * 1000))}`),
    me.devices.length > 1 ? make("button", { type: "button", class: "small", "aria-label": `Sign out ${device.name}${device.this ? ", this device" : ""}`, onclick: () => signOut(device) }, "Sign out") : null)));
  if (count && me.devices.length > count) { hide(); toast("Your new device is linked."); }
  count = me.devices.length;
}

async function signOut(device) {
  if (await attempt(async () => { await call("DELETE", `/api/me/devices/${device.id}`); return true; })) {
    if (device.this) location.href = "/"; else { toast("Signed out."); count = 0; show(); }
  }
}

$("named").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (await attempt(() => keepName($("name").value.trim()).then(() => true))) toast("Your name is saved.");
});

$("add").addEventListener("click", async () => {
  if (settings.get("name", "")) keepName(settings.get("name", "")).catch(() => {});
  const made = await attempt(() => call("POST", "/api/me/links"));
  if (!made) return;
  shown = made.link;
  $("qr").src = made.qr;
  $("link").hidden = false;
  $("add").hidden = true;
  $("says").textContent = `Scan this code with your phone's camera, or send yourself the link. It works once. Don't give it to anyone else: whoever opens it has your games. ${reach().device}`;
  const end = Date.now() + made.seconds * 1000;
  clearInterval(ticking);
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 60000));
    $("until").textContent = left ? `Good for ${left} more ${left === 1 ? "minute" : "minutes"}.` : "";
    if (!left) hide();
  };
  tick();
  ticking = setInterval(() => { tick(); if (shown && !document.hidden) show(); }, 4000);
  $("copy").focus();
});

function hide() {
  clearInterval(ticking);
  shown = null;
  $("link").hidden = true;
  $("add").hidden = false;
}
$("copy").addEventListener("click", async () => {
  try { await navigator.clipboard.writeText(shown); toast("Link copied. Open it on your other device."); } catch { toast(shown); }
});
$("revoke").addEventListener("click", async () => { await attempt(() => call("DELETE", "/api/me/links")); hide(); toast("The link no longer works."); });

$("rekey").addEventListener("click", async () => {
  if (await attempt(() => call("POST", "/api/me/token", { replace: true }))) { toast("Your key is new. Copies of the old one no longer work."); count = 0; show(); }
});

$("forget").addEventListener("click", () => { $("sure").returnValue = ""; $("sure").showModal(); });
$("sure").addEventListener("close", async () => {
  if ($("sure").returnValue !== "yes") return;
  if (await attempt(async () => { await call("DELETE", "/api/me"); return true; })) { settings.set("name", ""); location.href = "/"; }
});
show();
