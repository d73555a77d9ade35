import type { ChildProcess } from "node:child_process";
import type { HeldLease, LeaseTerms } from "@talaria/store/lease";
import type { FromChild, LeaseAnswer } from "./messages.ts";

/**
 * Keeps the lease of one child, since agent code may keep the child's main thread busy. Keeping it here costs a third of
 * what a thread of the child would. When the child has ended, its lease is released.
 */
export class ChildLease {
  readonly #child: ChildProcess;
  #lease: Promise<HeldLease> | undefined;
  #hasEnded = false;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Takes every message from the child; those about other things are none of its business. */
  receive(message: FromChild): void {
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
        this.#tell({ type: "refused", ...refusalOf(error) });
      },
    );
  }

  async #hold(terms: LeaseTerms): Promise<HeldLease> {
    const { holdLease } = await import("@talaria/store/lease");
    return holdLease(terms, { lapsed: () => this.#tell({ type: "lapsed" }) });
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

/** The driver's errors carry PostgreSQL's SQLSTATE. */
function refusalOf(error: unknown): { readonly message: string; readonly sqlState?: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  const sqlState = "code" in error && typeof error.code === "string" ? { sqlState: error.code } : {};
  return { message: error.message, ...sqlState };
}
