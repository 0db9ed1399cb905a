// The simulator: the WebAssembly that travels in the page, behind functions of texts.

/// What `gzip` and base64 made of bytes.
export async function unpacked(base64) {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// {ask(request) → answer, edits(request), schema(), instances(), prices(instance), files(), file(name)}, all
/// texts. `factory` is what Emscripten makes, `bytes` the WebAssembly.
export async function startEngine(factory, bytes) {
  const module = await factory({ wasmBinary: bytes });
  const taken = (pointer) => {
    if (pointer === 0) throw new Error('out of memory');
    const text = module.UTF8ToString(pointer);
    module._free(pointer);
    return text;
  };
  const given = (text, call) => {
    const size = module.lengthBytesUTF8(text) + 1;
    const pointer = module._malloc(size);
    module.stringToUTF8(text, pointer, size);
    try {
      return taken(call(pointer));
    } finally {
      module._free(pointer);
    }
  };
  return {
    ask: (request) => given(request, module._web_answer),
    edits: (request) => given(request, module._web_edits),
    schema: () => taken(module._web_schema()),
    instances: () => taken(module._web_instances()),
    prices: (instance) => given(instance, module._web_prices),
    files: () => taken(module._web_files()).split('\n').filter(Boolean),
    file: (name) => given(name, module._web_file),
  };
}
