/** What takes longer than this never ends, as far as anybody waits for it. */
const patienceMs = 2_000;

/**
 * A thread that answers one message after the other; it begins with the first. Gives `ask(message, isWanted)`: resolves with the answer, or with
 * undefined when nobody wants it any more, or when it does not come in time; then the thread is ended, and the next message has a new one.
 */
export function createAskedThread(address, options) {
  let turn = Promise.resolve();
  let worker;

  return function ask(message, isWanted) {
    turn = turn.then(() => (isWanted() ? answerTo(message) : undefined));
    return turn;
  };

  function answerTo(message) {
    const { promise, resolve } = Promise.withResolvers();
    worker ??= new Worker(address, options);
    const timer = setTimeout(giveUp, patienceMs);
    worker.onmessage = ({ data }) => {
      clearTimeout(timer);
      resolve(data);
    };
    worker.onerror = giveUp;
    worker.postMessage(message);
    return promise;

    function giveUp() {
      clearTimeout(timer);
      worker?.terminate();
      worker = undefined;
      resolve(undefined);
    }
  }
}
