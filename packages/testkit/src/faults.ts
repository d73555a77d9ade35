/** Nothing is answered. `effect` says whether the call was carried out before. */
export type NoAnswer =
  /** The connection is cut. */
  | { readonly kind: "drop"; readonly effect: "none" | "done" }
  /** The connection stays open and no answer ever comes. */
  | { readonly kind: "hang"; readonly effect: "none" | "done" };

/** Something going wrong on the wire. `effect` says whether the call was carried out before it went wrong. */
export type Fault =
  /** An error answer. 429 carries `retryAfter` seconds (default 1). `body` replaces the JSON body, for example with a proxy's page. */
  | {
      readonly kind: "answer";
      readonly code: number;
      readonly description?: string;
      readonly retryAfter?: number;
      readonly body?: string;
      /** Where an answer of 3xx sends the caller. */
      readonly location?: string;
      readonly effect: "none" | "done";
    }
  /** The call waits before it is carried out. */
  | { readonly kind: "delay"; readonly ms: number }
  | NoAnswer;

interface PlannedFault<F> {
  readonly fault: F;
  remaining: number;
  readonly when: (parameters: Readonly<Record<string, unknown>>) => boolean;
}

/** The faults ordered for coming calls, per method, used in the order given. `F`: what can go wrong on the platform. */
export class FaultPlan<F = Fault> {
  readonly #planned = new Map<string, PlannedFault<F>[]>();

  /**
   * The next `times` calls of `method` (any case; `download` for files) meet this fault.
   * `when` narrows it to calls with certain parameters.
   */
  add(method: string, fault: F, times = 1, when: PlannedFault<F>["when"] = () => true): void {
    const key = method.toLowerCase();
    this.#planned.set(key, [...(this.#planned.get(key) ?? []), { fault, remaining: times, when }]);
  }

  take(method: string, parameters: Readonly<Record<string, unknown>> = {}): F | undefined {
    const planned = this.#planned.get(method.toLowerCase());
    const match = planned?.find((entry) => entry.when(parameters));
    if (planned === undefined || match === undefined) return undefined;
    match.remaining -= 1;
    if (match.remaining <= 0) planned.splice(planned.indexOf(match), 1);
    return match.fault;
  }

  clear(): void {
    this.#planned.clear();
  }
}
