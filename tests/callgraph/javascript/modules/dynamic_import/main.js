async function load() {
  const plugin = await import("./plugin.js");
  plugin.activate();
}
import("./plugin.js").then((plugin) => plugin.activate());
load();
