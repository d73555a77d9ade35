import { rename, rm, writeFile } from "node:fs/promises";

/**
 * A file that stands in the data folder while a `talaria start` replaces its gateway and workers on purpose, so that nobody takes their absence
 * for trouble. It only explains: one that can't be written or removed is no error.
 */
export class PlannedRestart {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async begin(): Promise<void> {
    const kept = { pid: process.pid, at: new Date().toISOString() };
    await writeFile(`${this.#file}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
      .then(() => rename(`${this.#file}.new`, this.#file))
      .catch(() => undefined);
  }

  async end(): Promise<void> {
    await rm(this.#file, { force: true }).catch(() => undefined);
  }
}
