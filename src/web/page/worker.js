// In the worker, behind Emscripten's glue: the WebAssembly first, then a request at a time.
import { startEngine } from './engine.js';

let engine = null;

globalThis.onmessage = async ({ data }) => {
  if (data.bytes) engine = startEngine(globalThis.feedrateModule, data.bytes);
  else globalThis.postMessage((await engine).ask(data.request));
};
