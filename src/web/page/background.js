// Questions that take seconds are asked of a second simulator, in a worker: the page stays quick meanwhile, and what
// nobody waits for any more is ended with its worker.

/// {ask(request) → the answer, null where it was ended; end()}, one question at a time. `source` is the worker's
/// script, `bytes` the WebAssembly.
export function startBackground(source, bytes) {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  let worker = null;
  let waiting = null;
  const settle = (how, value) => {
    const { [how]: done } = waiting ?? {};
    waiting = null;
    done?.(value);
  };
  const start = () => {
    worker = new Worker(url);
    worker.onmessage = ({ data }) => settle('resolve', data);
    worker.onerror = (event) => {
      event.preventDefault();
      worker = null;
      settle('reject', new Error(event.message || 'the browser starts no worker for this page'));
    };
    worker.postMessage({ bytes });
  };
  const end = () => {
    if (waiting === null) return;
    worker.terminate();
    worker = null;
    settle('resolve', null);
  };
  const ask = (request) => {
    end();
    if (worker === null) start();
    return new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      worker.postMessage({ request });
    });
  };
  return { ask, end };
}
