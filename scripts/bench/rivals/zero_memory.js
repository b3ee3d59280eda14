// The view of the widget zero-memory, written by hand: what `widgets.api.render` says, as an object.

const STAGES = { replicated: "Replicated (DDP)", "zero-1": "ZeRO-1", "zero-2": "ZeRO-2", "zero-3": "ZeRO-3 (FSDP)" };
const PARTS = [
  { part: "parameters", label: "Parameters", bytes: 2, sharded_from: 3 },
  { part: "gradients", label: "Gradients", bytes: 2, sharded_from: 2 },
  { part: "optimizer", label: "Optimizer state", bytes: 12, sharded_from: 1 },
];
const PARAMETERS = 7_500_000_000;
const CARD_GB = 80;

const decimals = new Intl.NumberFormat("en", { maximumFractionDigits: 3, roundingMode: "halfExpand" });
const memory = (bytes) => `${decimals.format(bytes / 1e9)}\u00a0GB`;

function captionFor(stage, gpus, total, held) {
  if (gpus === 1 && stage !== "replicated") {
    return `One GPU has nobody to share with: whatever the stage, it keeps all ${total} itself. Add GPUs.`;
  }
  const count = `${gpus}\u00a0GPU${gpus === 1 ? "" : "s"}`;
  return {
    replicated: `Nothing is sharded. Every GPU keeps all parameters, all gradients and all optimizer state, ${total} of them, however many GPUs there are.`,
    "zero-1": `The optimizer state is sharded: each of ${count} keeps ${held.optimizer} of it. Every GPU still holds all parameters and all gradients.`,
    "zero-2": `Optimizer state and gradients are sharded: each of ${count} keeps its part. Every GPU still holds all parameters, ${held.parameters}.`,
    "zero-3": `Optimizer state, gradients and parameters are sharded over ${count}. No GPU holds a full copy of anything; layers are gathered when they are needed.`,
  }[stage];
}

function bar(role, label, height, below) {
  const text = [`${label} ${memory(height)}`];
  return {
    type: "bar", name: label, x: [0], y: [height / 1e9], showlegend: false, hoverinfo: "text", meta: { role },
    base: [below], width: [0.56], text, textposition: "inside", insidetextanchor: "start", hovertext: text,
  };
}

function figureFor(parts) {
  let below = 0;
  const bars = parts.map(({ part, label, held }) => {
    const made = bar(part, label, held, below);
    below += held / 1e9;
    return made;
  });
  const whole = (PARAMETERS * PARTS.reduce((sum, { bytes }) => sum + bytes, 0)) / 1e9;
  const card = {
    type: "scatter", mode: "lines+text", name: `${CARD_GB}\u00a0GB card`, x: [-0.5, 0.5], y: [CARD_GB, CARD_GB],
    text: [`${CARD_GB}\u00a0GB`, ""], showlegend: false, hoverinfo: "skip", cliponaxis: false,
    meta: { role: "capacity" }, textposition: "top right",
  };
  return {
    data: [...bars, card],
    layout: {
      meta: { height: 380, height_narrow: 280 }, dragmode: false, showlegend: false, barmode: "overlay",
      hovermode: "closest", margin: { l: 56, r: 8, t: 12, b: 12 }, uniformtext: { mode: "hide", minsize: 11 },
      xaxis: { range: [-0.5, 0.5], visible: false, fixedrange: true },
      yaxis: {
        range: [0, 1.1 * Math.max(whole, CARD_GB)], fixedrange: true, zeroline: true,
        title: { text: "GB on each GPU" }, nticks: 7,
      },
    },
  };
}

export function answer({ stage, gpus }) {
  const zero = Object.keys(STAGES).indexOf(stage);
  const parts = PARTS.map((part) => {
    const shared = gpus > 1 && zero >= part.sharded_from;
    return { ...part, shared, held: Math.ceil((PARAMETERS * part.bytes) / (shared ? gpus : 1)) };
  });
  const bytes = parts.reduce((sum, { held }) => sum + held, 0);
  const [total, card] = [memory(bytes), `${CARD_GB}\u00a0GB`];
  const fits = bytes <= CARD_GB * 1e9;
  const verdict = fits ? "fits ✓" : "doesn't fit ✕";
  const count = `${gpus}\u00a0GPU${gpus === 1 ? "" : "s"}`;
  const readout = (key, label, value, more) => ({ key, label, value, note: "", state: "", main: false, ...more });
  const rows = parts.map(({ label, held, shared }) => [label, memory(held), shared ? "sharded" : "full copy"]);
  return {
    widget: "zero-memory",
    params: { stage, gpus },
    figure: figureFor(parts),
    legend: [
      ...parts.map(({ part, label }) => ({ role: part, label })),
      { role: "capacity", label: `${card} card` },
    ],
    readouts: [
      readout("memory", "Model per GPU", total, { main: true }),
      readout("fits", `Fits ${card}?`, verdict, { state: fits ? "yes" : "no" }),
      readout("stage", "Stage", STAGES[stage]),
      readout("gpus", "Over", count),
    ],
    caption: captionFor(stage, gpus, total, Object.fromEntries(parts.map(({ part, held }) => [part, memory(held)]))),
    summary: `${STAGES[stage]} over ${count}: ${total} on each GPU. ${card} card: ${verdict}.`,
    table: {
      caption: "Memory on each GPU",
      columns: ["Part", "Memory", "Kept as"],
      rows: [...rows, ["Total", total, ""]],
    },
    plan: {
      model: { params: PARAMETERS }, cluster: { gpu: "card-80gb", gpus }, recipe: { preset: "zero-paper" }, layout: { zero },
    },
    controls: { gpus: { text: count } },
  };
}
