/** Something going wrong on the wire. `effect` says whether the call was carried out before it went wrong. */
export type MatrixFault =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly errcode?: string;
      readonly retryAfterMs?: number;
      /** Replaces the JSON, for example by a proxy's page. */
      readonly body?: string;
      /** Where an answer of 3xx sends the caller. */
      readonly location?: string;
      readonly effect: "none" | "done";
    }
  /** The connection is cut without an answer. */
  | { readonly kind: "drop"; readonly effect: "none" | "done" }
  /** The connection stays open and no answer ever comes. */
  | { readonly kind: "hang"; readonly effect: "none" | "done" };

/** The faults ordered for coming calls, per route, first ordered first used. */
export class MatrixFaults {
  readonly #planned = new Map<string, { readonly fault: MatrixFault; remaining: number }[]>();

  add(route: string, fault: MatrixFault, times = 1): void {
    this.#planned.set(route, [...(this.#planned.get(route) ?? []), { fault, remaining: times }]);
  }

  take(route: string): MatrixFault | undefined {
    const planned = this.#planned.get(route);
    const next = planned?.[0];
    if (planned === undefined || next === undefined) return undefined;
    next.remaining -= 1;
    if (next.remaining <= 0) planned.shift();
    return next.fault;
  }
}
