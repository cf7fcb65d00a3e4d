// The service worker: shows "your turn", and leads to the table.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

const pages = () => self.clients.matchAll({ type: "window", includeUncontrolled: true });
const at = (page, url) => new URL(page.url).pathname === url;

self.addEventListener("push", (event) => event.waitUntil((async () => {
  const { title, body, url } = event.data.json();
  if ((await pages()).some((page) => page.visibilityState === "visible" && at(page, url))) return;  // they are looking at it
  await self.registration.showNotification(title, { body, tag: url, icon: "/icon-192.png", data: { url } });
})()));

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { url } = event.notification.data;
  event.waitUntil((async () => {
    const open = (await pages()).find((page) => at(page, url));
    return open ? open.focus() : self.clients.openWindow(url);
  })());
});
