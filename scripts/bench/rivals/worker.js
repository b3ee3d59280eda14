// The worker of the page by hand: parameters in, a view out.

import { answer } from "./zero_memory.js";

self.addEventListener("message", ({ data }) => self.postMessage(answer(data)));
