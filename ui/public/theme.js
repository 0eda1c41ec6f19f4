// Sets the theme before the first paint, so that a dark window never flashes white. The application takes over from
// here (src/state/theme.ts); the key is the same there.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("retrace.theme");
  } catch {
    // Storage may be switched off; the system's theme is used then.
  }
  var dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.setAttribute("data-theme", dark ? "dark" : "light");
})();
