// Owns what appears beside the pointer over a chart: it stays while the pointer goes over it, Escape takes it away, and
// so does leaving the chart. Source: WCAG 2.2, 1.4.13.

const isOver = (box, { clientX, clientY }) =>
  clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;

// `plot` is drawn already; `hide` takes away what appeared.
export function tameHover(plot, signal, hide) {
  const labels = () => [...plot.querySelectorAll(".hovertext")];
  plot.on("plotly_beforehover", (event) => !labels().some((label) => isOver(label.getBoundingClientRect(), event)));
  addEventListener("keydown", ({ key }) => key === "Escape" && labels().length && hide(), { signal });
  plot.addEventListener("pointerleave", hide, { signal });
}
