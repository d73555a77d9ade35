import { rename, rm, writeFile } from "node:fs/promises";
import type { PlannedAbsence } from "@talaria/store";

/**
 * A file that stands in the data folder while a `talaria start` replaces or stops its gateway and workers on purpose, so that nobody takes their absence
 * for trouble. It only explains: one that can't be written or removed is no error.
 */
export class PlannedRestart {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async begin(kind: PlannedAbsence["kind"] = "restart"): Promise<void> {
    const kept = { pid: process.pid, at: new Date().toISOString(), kind };
    await writeFile(`${this.#file}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
      .then(() => rename(`${this.#file}.new`, this.#file))
      .catch(() => undefined);
  }

  async end(): Promise<void> {
    await rm(this.#file, { force: true }).catch(() => undefined);
  }
}
