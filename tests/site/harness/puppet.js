// Stands in for the worker: it starts at once, tells the page what it is asked, and says what the page tells it to say.
const strings = new BroadcastChannel("puppet");
self.addEventListener("message", ({ data }) => {
  strings.postMessage(data);
  if (data.type !== "start") return;
  self.postMessage({ type: "starting" });
  self.postMessage({ type: "ready", mode: data.mode, times: {} });
});
strings.addEventListener("message", ({ data }) => self.postMessage(data));
