// Owns the form in which the memory snapshot travels. WebAssembly fills a new memory with the module's own data, which
// the browser fetches anyway; the snapshot holds how it differs from that, so those megabytes travel once.

// Turn the difference into the whole, or back, in place. `fresh` is a memory just as WebAssembly made it.
export function complete(snapshot, fresh) {
  // Pyodide's header: a magic number, where the memory begins, and two words on, in a place it leaves empty, how far
  // the module's data reaches.
  const [, start, , bytes] = new Uint32Array(snapshot.buffer, snapshot.byteOffset, 4);
  const saved = new Uint32Array(snapshot.buffer, snapshot.byteOffset + start, bytes / 4);
  const made = new Uint32Array(fresh.buffer, 0, saved.length);
  for (let place = 0; place < saved.length; place++) saved[place] ^= made[place];
}
