"""What a page says and asks for, in browsers whose drivers can't hear it: the page keeps a record itself."""

from types import SimpleNamespace

from tests.site.harness.record import Record

# Runs before all that a page runs. No file is fetched ahead: a test says for itself when the engine is wanted.
PRELUDE = """(() => {
  globalThis.shardscopeSettings = { prefetch: false };
  const heard = (globalThis.heard = []);
  for (const kind of ["error", "warn"]) {
    const say = console[kind];
    console[kind] = (...words) => (heard.push(`console ${kind}: ${words.join(" ")}`), say.apply(console, words));
  }
  addEventListener("error", ({ message, target: { rel, src, href } }) => {
    // Firefox fetches the next page ahead, and lets go of it when it may not be kept.
    if (rel !== "next") heard.push(`page error: ${message ?? `could not load ${src || href}`}`);
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => heard.push(`page error: ${reason}`));
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    heard.push(`policy: ${violatedDirective} ${blockedURI}`));
  performance.setResourceTimingBufferSize(5000);
})();"""
TAKE = """() => {
  const said = globalThis.heard?.splice(0) ?? [];
  const asked = performance.getEntriesByType("resource").map(({ name }) => name);
  performance.clearResourceTimings();
  return [said, asked];
}"""


class Ears(Record):
    """A record of one window: what its pages noted, and what its browser said."""

    def __init__(self, driver, site) -> None:
        super().__init__(site.origin)
        self._driver = driver

    def take(self) -> None:
        """Note what the page has kept so far: it is lost when the window goes to another one."""
        said, asked = self._driver.evaluate(TAKE)
        self.complaints += said + self._driver.complaints()
        self.requests += [SimpleNamespace(url=address) for address in asked + self._driver.asked()]

    def problems(self) -> list[str]:
        self.take()
        return super().problems()
