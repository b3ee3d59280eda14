// Owns getting one file whole: request it, count it, and check status, type, first bytes and length on the way.
// A file that is not what the manifest promises ends in a plain object that can cross to the page:
//   {stage, asset, cause, expected, got, detail}
// cause: network | status | html | type | magic | length | damaged | packing | script

export function failure(cause, asset, more = {}) {
  return { stage: "fetching", asset, cause, expected: "", got: "", detail: "", ...more };
}

// Anything that was thrown, as such an object. What was thrown by this file passes through unchanged.
export function asFailure(thrown, cause, asset, more = {}) {
  if (thrown?.cause && thrown.asset !== undefined) return thrown;
  // Of a traceback the last line says what happened.
  const detail = String(thrown?.message || thrown).trim().split("\n").at(-1);
  return failure(cause, asset, { detail, ...more });
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
const starts = (bytes, magic) => magic.every((byte, place) => place >= bytes.length || bytes[place] === byte);

// What may arrive: the file as it is or, where a server took the packing off on the way, what was inside.
function form(file, first) {
  if (!first.length) throw failure("length", file.name, { expected: String(file.bytes), got: "0" });
  const packed = Boolean(file.raw_bytes);
  // What is packed carries a sum of its own, which whoever unpacks it checks.
  if (!file.magic || starts(first, file.magic)) return { bytes: file.bytes, packed, sum: packed ? undefined : file.sum };
  if (file.raw_magic && starts(first, file.raw_magic)) return { bytes: file.raw_bytes, packed: false };
  const cause = first[0] === 0x3c ? "html" : "magic";
  throw failure(cause, file.name, { expected: hex(file.magic), got: hex(first.subarray(0, file.magic.length)) });
}

// Adler-32, which zlib has too (RFC 1950): `sum` of what came before, carried on over `bytes`.
function adler(sum, bytes) {
  let [low, high] = [sum & 0xffff, sum >>> 16];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(at + 3800, bytes.length); // further, and the sums would not fit 31 bits
    while (at < end) high += low += bytes[at++];
    low %= 65521;
    high %= 65521;
  }
  return ((high << 16) | low) >>> 0;
}

function checkHead(response, file) {
  const type = (response.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();
  if (!response.ok) throw failure("status", file.name, { expected: "200", got: String(response.status) });
  if (type === "text/html") throw failure("html", file.name, { expected: file.type, got: type });
  const strict = file.type === "application/wasm" || /javascript/.test(file.type);
  const same = type === file.type || (/javascript/.test(file.type) && /(java|ecma)script/.test(type));
  if (strict && !same) throw failure("type", file.name, { expected: file.type, got: type || "–" });
}

// Request a file now. Resolves, once its head and first bytes are right, to {body, bytes, packed}: a stream that
// fails with a plain object, also kept as `broken`, when it ends early or goes on too long. `count` hears the share
// that has arrived.
export async function open(url, file, { cache = "default", count = () => {} } = {}) {
  const broken = (thrown) => asFailure(thrown, "network", file.name);
  let reader, next;
  try {
    const response = await fetch(url, { cache });
    checkHead(response, file);
    reader = response.body.getReader();
    next = await reader.read();
  } catch (thrown) {
    throw broken(thrown);
  }
  const opened = form(file, next.value ?? new Uint8Array(0));
  const { bytes, sum } = opened;
  let [seen, found] = [0, 1];
  opened.body = new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = next ?? (await reader.read());
        next = undefined;
        seen += value?.length ?? 0;
        if (seen > bytes || (done && seen < bytes)) {
          throw failure("length", file.name, { expected: String(bytes), got: String(seen) });
        }
        if (sum && value) found = adler(found, value);
        if (sum && done && found !== sum) throw failure("damaged", file.name);
        count(seen / bytes);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (thrown) {
        controller.error((opened.broken = broken(thrown)));
      }
    },
  });
  return opened;
}

// All the bytes of a file, unpacked.
export async function read(url, file, options) {
  const { body, bytes, packed } = await open(url, file, options);
  const reader = (packed ? body.pipeThrough(new DecompressionStream("gzip")) : body).getReader();
  const whole = new Uint8Array(packed ? file.raw_bytes : bytes);
  let at = 0;
  try {
    for (let part; !(part = await reader.read()).done; at += part.value.length) whole.set(part.value, at);
  } catch (thrown) {
    throw asFailure(thrown, "packing", file.name);
  }
  if (at < whole.length) throw failure("length", file.name, { expected: String(whole.length), got: String(at) });
  return whole;
}

// Why a script that the browser would not run cannot be had. Resolves to a plain object either way.
export async function diagnose(url, file, thrown) {
  try {
    const { body } = await open(url, file, { cache: "reload" });
    for (const reader = body.getReader(); !(await reader.read()).done; );
  } catch (found) {
    return asFailure(found, "network", file.name);
  }
  return asFailure(thrown, "script", file.name, { stage: "starting" });
}
