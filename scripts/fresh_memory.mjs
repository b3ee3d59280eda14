// See the engine's memory at the one moment when it holds what WebAssembly itself put there, before any code has run.

export function onFreshMemory(act) {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (source, imports) => {
    const made = await instantiate(source, imports);
    if (imports?.env?.memory) act(imports.env.memory);
    return made;
  };
}
