/** The parts of matrix-js-sdk that are large. */
export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/**
 * Loads the client library, silenced: its log names people and rooms. Not by its main entry, which brings widgets, stores and
 * a scheduler along, and which a process may load only once under one name.
 */
export async function loadSdk() {
  const [{ MatrixClient }, { parseErrorResponse }, { logger }] = await Promise.all([
    import("matrix-js-sdk/lib/client.js"),
    import("matrix-js-sdk/lib/http-api/index.js"),
    import("matrix-js-sdk/lib/logger.js"),
  ]);
  // What it does not log with the logger of a client goes to this one, a logger of `loglevel`.
  (logger as typeof logger & { setLevel(level: "silent", persist: boolean): void }).setLevel("silent", false);
  return { MatrixClient, parseErrorResponse, silentLogger };
}

const nothing = () => undefined;
const silentLogger = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  getChild: () => silentLogger,
};
