// "Your turn" as a notification: asked for by a click, shown while the page is out of sight, pushed when it is closed.
import { call, make, settings, toast } from "./common.js";

export const possible = "Notification" in window && "serviceWorker" in navigator;
export const on = () => possible && Notification.permission === "granted" && settings.get("notify", "") === "on";

const bytes = (key) => Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

async function worker() {
  await navigator.serviceWorker.register("/sw.js");
  return navigator.serviceWorker.ready;
}

/** Switch notifications on; asks the browser's user. Returns whether they are on now. */
export async function enable() {
  if (await Notification.requestPermission() !== "granted") {
    settings.set("notify", "off");
    toast("Your browser doesn't allow notifications here. You can change that in its settings for this site.");
    return false;
  }
  settings.set("notify", "on");
  await subscribe();
  return true;
}

/** Let the server reach this browser even when no page is open, if it can. */
async function subscribe() {
  const ready = await worker();
  const { key } = await call("GET", "/api/push");
  if (!key || !ready.pushManager) return;
  try {
    const made = await ready.pushManager.getSubscription() ?? await ready.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
    const { endpoint, keys } = made.toJSON();
    await call("POST", "/api/me/push", { endpoint, keys });
  } catch { /* without a push service, open pages still notify */ }
}

export async function disable() {
  settings.set("notify", "off");
  const ready = await navigator.serviceWorker.getRegistration();
  await (await ready?.pushManager?.getSubscription())?.unsubscribe();
  await call("DELETE", "/api/me/push").catch(() => {});
}

/** It's this player's turn. If the page is out of sight, say so. */
export async function tell(body, url) {
  if (!on() || !document.hidden) return;
  (await worker()).showNotification("Your turn", { body, tag: url, icon: "/icon-192.png", data: { url } });
}

/** Ask once, when a turn is over and somebody else thinks. */
export function nudge() {
  if (!possible || Notification.permission !== "default" || settings.get("notify", "") || document.getElementById("nudge")) return;
  const close = () => box.remove();
  const box = make("div", { id: "nudge", class: "nudge", role: "region", "aria-label": "Notifications" }, make("span", {}, "Shall we tell you when it's your turn again?"),
    make("button", { type: "button", class: "primary small", onclick: () => { close(); enable().then((yes) => { if (yes) toast("We'll tell you when it's your turn."); }, () => {}); } }, "Yes, tell me"),
    make("button", { type: "button", class: "quiet small", onclick: () => { settings.set("notify", "off"); close(); } }, "No, thanks"));
  document.body.append(box);
}

/** A switch for a menu or a page. */
export function bind(checkbox) {
  checkbox.closest("label").hidden = !possible;
  checkbox.checked = on();
  checkbox.addEventListener("change", async () => { if (checkbox.checked) checkbox.checked = await enable().catch(() => false); else await disable(); });
  if (on()) worker().catch(() => {});
}
