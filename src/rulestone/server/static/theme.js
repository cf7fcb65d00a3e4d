// Before the first paint: the theme somebody chose here earlier.
try { const theme = localStorage.getItem("theme"); if (theme) document.documentElement.dataset.theme = theme; } catch { /* private mode */ }
