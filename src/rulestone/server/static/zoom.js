// Zooming into the board: pinch, double tap, drag while zoomed; + - 0 on the keyboard; a button for the whole board. Clicks stay clicks.

const MOST = 4, STEP = 1.5, TAP = 320, NEAR = 30, SLIP = 8;

export function zoomable(board, svg) {
  const fingers = new Map();
  let scale = 1, x = 0, y = 0, pinch = null, dragged = false, tapped = { at: -Infinity };

  const whole = document.createElement("button");
  Object.assign(whole, { type: "button", className: "whole small", hidden: true, textContent: "Whole board" });
  board.append(whole);

  function apply() {
    const { clientWidth: width, clientHeight: height } = board;
    x = Math.min(0, Math.max(width * (1 - scale), x));
    y = Math.min(0, Math.max(height * (1 - scale), y));
    if (scale === 1) board.scrollTop = 0;
    svg.style.transform = scale === 1 ? "" : `translate(${x}px, ${y}px) scale(${scale})`;
    board.classList.toggle("zoomed", scale > 1);
    whole.hidden = scale === 1;
  }

  /** Zoom so that the point under (clientX, clientY) stays where it is. */
  function zoom(to, clientX, clientY) {
    const box = board.getBoundingClientRect(), px = clientX - box.left, py = clientY - box.top;
    const next = Math.min(MOST, Math.max(1, to));
    x = px - (px - x) * (next / scale);
    y = py - (py - y) * (next / scale);
    scale = next < 1.05 ? 1 : next;
    apply();
  }

  const middle = () => { const box = board.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; };
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return { apart: Math.hypot(a.x - b.x, a.y - b.y) || 1, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };

  board.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && (scale === 1 || event.target.closest(".glow"))) return;  // a mouse drags things, and the zoomed board between them
    if (event.target === whole) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 1) dragged = false;
    pinch = fingers.size === 2 ? spread() : null;
  });
  addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const dx = event.clientX - finger.x, dy = event.clientY - finger.y;
    if (fingers.size === 2) {
      Object.assign(finger, { x: event.clientX, y: event.clientY });
      const now = spread();
      x += now.x - pinch.x;
      y += now.y - pinch.y;
      zoom(scale * (now.apart / pinch.apart), now.x, now.y);
      pinch = now;
      dragged = true;
    } else if (scale > 1 && (dragged || Math.hypot(dx, dy) > SLIP)) {
      Object.assign(finger, { x: event.clientX, y: event.clientY });
      x += dx;
      y += dy;
      dragged = true;
      apply();
    }
  });
  // Otherwise the browser may take a drag for a fling of its own, and the next tap only stops that.
  board.addEventListener("touchmove", (event) => { if (event.cancelable && (scale > 1 || event.touches.length > 1)) event.preventDefault(); }, { passive: false });
  for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, (event) => { fingers.delete(event.pointerId); pinch = null; });
  // The click at the end of a drag or pinch belongs to it; every other click goes through.
  board.addEventListener("click", (event) => {
    if (event.target === whole) return;
    if (dragged) { dragged = false; event.stopPropagation(); event.preventDefault(); return; }
    const { clientX, clientY, timeStamp: at } = event, free = !event.target.closest(".glow, .chosen");
    const again = free && tapped.free && at - tapped.at < TAP && Math.hypot(clientX - tapped.x, clientY - tapped.y) < NEAR;
    tapped = again ? { at: -Infinity } : { at, x: clientX, y: clientY, free: free && event.pointerType !== "mouse" };
    if (again) zoom(scale > 1 ? 1 : 2.2, clientX, clientY);
  }, true);
  whole.addEventListener("click", (event) => { event.stopPropagation(); zoom(1, ...middle()); });
  // Pinching a trackpad arrives as a wheel with Ctrl.
  board.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(scale * Math.exp(-event.deltaY / 100), event.clientX, event.clientY);
  }, { passive: false });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, select, textarea")) return;
    const to = { "+": scale * STEP, "=": scale * STEP, "-": scale / STEP, 0: 1 }[event.key];
    if (!to) return;
    event.preventDefault();
    const on = svg.contains(document.activeElement) && document.activeElement.getBoundingClientRect();
    zoom(to, ...(on ? [on.left + on.width / 2, on.top + on.height / 2] : middle()));
  });
  // Whoever moves the focus with the keyboard sees where it is.
  svg.addEventListener("focusin", (event) => {
    if (scale === 1 || !event.target.matches(":focus-visible")) return;
    const on = event.target.getBoundingClientRect(), [mx, my] = middle();
    x += mx - (on.left + on.width / 2);
    y += my - (on.top + on.height / 2);
    apply();
  });
  new ResizeObserver(() => { if (scale > 1) apply(); }).observe(board);
}
