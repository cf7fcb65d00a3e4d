// The rules page: a link to a ruling opens the section it is folded into.

function reveal() {
  const target = document.getElementById(location.hash.slice(1)), fold = target?.closest("details");
  if (!fold || fold.open) return;
  fold.open = true;
  target.scrollIntoView();
}

addEventListener("hashchange", reveal);
reveal();
