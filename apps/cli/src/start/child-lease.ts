import type { ChildProcess } from "node:child_process";
import type { HeldLease, LeaseTerms } from "@talaria/store/lease";
import type { Life } from "./life.ts";
import type { FromChild, LeaseAnswer } from "./messages.ts";

/**
 * Keeps the lease of one child, since agent code may keep the child's main thread busy. Keeping it here costs a third of
 * what a thread of the child would. When the child has ended, its lease is released.
 */
export class ChildLease {
  readonly #child: ChildProcess;
  readonly #life: Life;
  #lease: Promise<HeldLease> | undefined;
  #hasEnded = false;

  /** `life`: what others may see of it beside what it reports itself. */
  constructor(child: ChildProcess, life: Life) {
    this.#child = child;
    this.#life = life;
  }

  /** Takes every message from the child; those about other things are none of its business. */
  receive(message: FromChild): void {
    if (message.type === "lease") this.#take(message.terms);
    else if (message.type === "retire") void this.#retire().then(() => this.#tell({ type: "retired" }));
    else if (message.type === "pulse")
      this.#lease?.then((lease) => lease.report(this.#stats(message.stats))).catch(() => undefined);
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
    return holdLease({ ...terms, stats: this.#stats({}) }, { lapsed: () => this.#tell({ type: "lapsed" }) });
  }

  #stats(reported: Readonly<Record<string, unknown>>): string {
    return JSON.stringify({ ...reported, life: this.#life });
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
