import type { ChildProcess } from "node:child_process";
import type { HeldLease, LeaseTerms } from "@talaria/store/lease";
import type { FromChild, LeaseAnswer } from "./messages.ts";

/**
 * Keeps the lease of one child, since agent code may keep the child's main thread busy. Keeping it here costs a third of
 * what a thread of the child would. A child without a pulse for as long as its lease lasts is killed: it may hang, and its sessions go on elsewhere
 * at once. When it has ended, its lease is released.
 */
export class ChildLease {
  readonly #child: ChildProcess;
  #lease: Promise<HeldLease> | undefined;
  #stillBeats = 0;
  #hasEnded = false;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Takes every message from the child; those about other things only show that it moves. */
  receive(message: FromChild): void {
    this.#stillBeats = 0;
    if (message.type === "lease") this.#take(message.terms);
    else if (message.type === "retire") void this.#retire().then(() => this.#tell({ type: "retired" }));
    else if (message.type === "pulse")
      this.#lease?.then((lease) => lease.report(JSON.stringify(message.stats))).catch(() => undefined);
  }

  /** The child has ended: what it held is free as soon as this resolves. Never rejects. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#retire();
  }

  #take(terms: LeaseTerms): void {
    this.#lease ??= this.#hold(terms);
    this.#lease.then(
      () => this.#tell({ type: "leased" }),
      (error: unknown) => {
        this.#lease = undefined;
        this.#tell({ type: "refused", message: error instanceof Error ? error.message : String(error) });
      },
    );
  }

  async #hold(terms: LeaseTerms): Promise<HeldLease> {
    const { beatMsOf, holdLease } = await import("@talaria/store/lease");
    return holdLease(terms, {
      beat: () => {
        this.#stillBeats += 1;
        if (this.#stillBeats * beatMsOf(terms) >= terms.stuckAfterMs) this.#child.kill("SIGKILL");
      },
      lapsed: () => this.#tell({ type: "lapsed" }),
    });
  }

  async #retire(): Promise<void> {
    const held = this.#lease;
    this.#lease = undefined;
    await held?.then((lease) => lease.retire()).catch(() => undefined);
  }

  #tell(answer: LeaseAnswer): void {
    if (!this.#hasEnded && this.#child.connected) this.#child.send(answer, () => undefined);
  }
}
