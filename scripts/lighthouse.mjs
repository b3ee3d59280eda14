// Run Lighthouse on pages: lighthouse.mjs CHROMIUM full|quick ADDRESS… prints one line of JSON a page.
// `full` is what Lighthouse does by default: a slow phone on a slow line; `quick` leaves the performance out.

import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const [chromePath, how, ...addresses] = process.argv.slice(2);
const TRUSTED = ["accessibility", "best-practices", "seo"];
const options = {
  full: { onlyCategories: ["performance", ...TRUSTED] },
  quick: { onlyCategories: TRUSTED, throttlingMethod: "provided" },
}[how];
// The outside network is cut, as it is for the tests.
const chromeFlags = ["--headless=new", "--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];

// Every point that a category lacks: the audit, and the places that it names.
function missing({ categories, audits }) {
  return TRUSTED.flatMap((name) => categories[name].auditRefs.filter(({ weight }) => weight > 0).map(({ id }) => audits[id]))
    .filter(({ score, errorMessage }) => errorMessage || (score !== null && score < 1))
    .map(({ id, title, errorMessage, details }) => ({
      id,
      title: errorMessage ?? title,
      places: (details?.items ?? []).map((item) => item.node?.selector ?? item.source?.url ?? item.description ?? ""),
    }));
}

const chrome = await launch({ chromePath, chromeFlags });
try {
  for (const address of addresses) {
    const { lhr } = await lighthouse(address, { ...options, port: chrome.port, output: "json", logLevel: "error" });
    const scores = Object.values(lhr.categories).map(({ id, score }) => [id, score === null ? null : Math.round(100 * score)]);
    const broken = lhr.runtimeError ? [{ id: lhr.runtimeError.code, title: lhr.runtimeError.message, places: [] }] : missing(lhr);
    process.stdout.write(`${JSON.stringify({ address, scores: Object.fromEntries(scores), missing: broken })}\n`);
  }
} finally {
  await chrome.kill();
}
