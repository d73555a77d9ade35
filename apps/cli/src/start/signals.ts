/** npm passes on the SIGINT that the terminal has sent already; both are one request. */
const sameRequestMs = 300;

/** Resolves when the drain that the first SIGINT or SIGTERM began is done; a second one ends the process at once. */
export function onStopSignals(actions: { drain(): Promise<void>; atOnce(): void }): Promise<void> {
  return new Promise((resolve, reject) => {
    let askedAt: number | undefined;
    const stop = () => {
      if (askedAt !== undefined) {
        if (performance.now() - askedAt < sameRequestMs) return;
        actions.atOnce();
        process.exit(130);
      }
      askedAt = performance.now();
      actions.drain().then(resolve, reject);
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
}
