// Applies the saved theme before the first paint.
try { const theme = localStorage.getItem("theme"); if (theme) document.documentElement.dataset.theme = theme; } catch { /* private mode */ }
