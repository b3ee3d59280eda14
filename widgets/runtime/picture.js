// Owns the picture that leaves the page: the chart, and above it what the page says around it, so that it still speaks
// in a slide or a paper: the title, the sentence, the legend, and the link that shows the same values again.

const EDGE = 16; // px, as are all lengths here
// A picture has no web fonts: it is measured in what it will be shown in.
const FAMILY = "Arial, Helvetica, sans-serif";
const LETTER = 0.54; // of the font's size: the mean width of a letter
const SIZES = { title: 18, text: 13 };
const LINE = 1.35; // of the font's size
const SAMPLE = 50; // a legend's sample with its gaps

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

// The words of `text` in lines that `width` has room for; a link is one long word and is cut where the line ends.
function wrap(text, width, size) {
  const most = Math.max(12, Math.floor(width / (LETTER * size)));
  const lines = [""];
  for (const word of text.split(" ").flatMap((each) => each.match(new RegExp(`.{1,${most}}`, "gu")) ?? [])) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (longer.length <= most) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

// How many rows the legend's labels fill.
function rows(legend, width, size) {
  let [count, used] = [legend.length ? 1 : 0, 0];
  for (const { label } of legend) {
    const needs = SAMPLE + label.length * LETTER * size;
    if (used && used + needs > width) [count, used] = [count + 1, 0];
    used += needs;
  }
  return count;
}

// A figure that is painted already, with its words above it. `words`: {title, lines: texts below it}.
export function picture({ data, layout }, legend, words) {
  const width = layout.width - 2 * EDGE;
  const lines = words.lines.flatMap((text) => wrap(text, width, SIZES.text));
  const titles = wrap(words.title, width, SIZES.title);
  const head = EDGE + SIZES.title / 2 + LINE * (titles.length * SIZES.title + lines.length * SIZES.text);
  const above = Math.round(head + 8 + rows(legend, width, SIZES.text) * 22);
  const height = layout.height + above;
  const text = [
    ...titles.map((line) => `<b style="font-size:${SIZES.title}px">${escape(line)}</b>`),
    ...lines.map(escape),
  ].join("<br>");
  const left = { xref: "container", x: EDGE / layout.width, xanchor: "left", yref: "container", yanchor: "top" };
  const named = new Map(legend.map(({ role, label }) => [role, label]));
  const list = data.map((trace) => {
    const label = named.get(trace.meta?.role);
    named.delete(trace.meta?.role);
    return label ? { ...trace, name: label, showlegend: true } : { ...trace, showlegend: false };
  });
  return {
    data: list,
    layout: {
      ...layout,
      height,
      font: { ...layout.font, family: FAMILY },
      margin: { ...layout.margin, t: (layout.margin?.t ?? 0) + above },
      title: { ...left, text, y: 1 - (EDGE + SIZES.title / 2) / height, font: { size: SIZES.text }, automargin: false },
      showlegend: legend.length > 0,
      legend: { ...left, y: 1 - (head + 4) / height, orientation: "h", itemsizing: "constant", traceorder: "normal" },
    },
  };
}
