import type { OutboxRow } from "@talaria/store";
import type { RowResult } from "./row-delivery.ts";

/** The rows of one conversation, delivered strictly one after the other. */
export class Lane {
  readonly #rows: OutboxRow[] = [];
  #running = false;
  #blocked = false;

  get rows(): readonly OutboxRow[] {
    return this.#rows;
  }

  /** Nothing waits here, neither in memory nor, as far as it is known, in the store. */
  get isIdle(): boolean {
    return this.#rows.length === 0 && !this.#blocked;
  }

  get isRunning(): boolean {
    return this.#running;
  }

  add(row: OutboxRow): void {
    this.#rows.push(row);
  }

  /**
   * Delivers until nothing is left. When a row has to wait, those behind it are let go as well: the store gives all of
   * them again, in order, when the first is due. Rejects like `deliver`.
   */
  async run(deliver: (row: OutboxRow) => Promise<RowResult>): Promise<void> {
    this.#running = true;
    try {
      for (let row = this.#rows[0]; row !== undefined; row = this.#rows[0]) {
        this.#blocked = (await deliver(row)) !== "finished";
        if (this.#blocked) break;
        this.#rows.shift();
      }
    } finally {
      this.#rows.length = 0;
      this.#running = false;
    }
  }
}
