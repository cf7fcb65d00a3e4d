// Before the first paint: applies the saved theme, and notes for the server whether the screen is narrow.
try { const theme = localStorage.getItem("theme"); if (theme) document.documentElement.dataset.theme = theme; } catch { /* private mode */ }
{
  const narrow = matchMedia(`(max-width:${document.documentElement.dataset.narrow}px)`);
  const note = () => { document.cookie = `narrow=${Number(narrow.matches)};path=/;SameSite=Lax`; };
  narrow.addEventListener("change", note);
  note();
}
