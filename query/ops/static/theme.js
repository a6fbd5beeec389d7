// Before the first paint: the theme that was chosen in this browser, else the system's.
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem("memstream-theme"); } catch { /* storage may be closed to us */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
