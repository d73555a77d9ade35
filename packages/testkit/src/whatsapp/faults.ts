/** What a call asks for. `send` is every message but reactions; `typing` also marks as read. */
export type WhatsappAction = "send" | "react" | "typing" | "upload" | "media" | "download" | "phone";

/** Something going wrong on the wire. `effect` says whether the call was carried out before it went wrong. */
export type WhatsappFault =
  /** An error body with one of Meta's codes; with `retryAfter` seconds in a header. */
  | { readonly kind: "error"; readonly code: number; readonly retryAfter?: number; readonly effect: "none" | "done" }
  /** An answer that is not Meta's, such as a proxy's page. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: string;
      /** Where an answer of 3xx sends the caller. */
      readonly location?: string;
      readonly effect: "none" | "done";
    }
  /** The connection is cut without an answer. */
  | { readonly kind: "drop"; readonly effect: "none" | "done" }
  /** The connection stays open and no answer ever comes. */
  | { readonly kind: "hang"; readonly effect: "none" | "done" };

type Parameters = Readonly<Record<string, unknown>>;

interface PlannedFault {
  readonly action: WhatsappAction;
  readonly fault: WhatsappFault;
  readonly when: (parameters: Parameters) => boolean;
  remaining: number;
}

/** The faults ordered for coming calls, first ordered first used. */
export class WhatsappFaults {
  readonly #planned: PlannedFault[] = [];

  add(
    action: WhatsappAction,
    fault: WhatsappFault,
    times = 1,
    when: (parameters: Parameters) => boolean = () => true,
  ): void {
    this.#planned.push({ action, fault, when, remaining: times });
  }

  take(action: WhatsappAction, parameters: Parameters): WhatsappFault | undefined {
    const match = this.#planned.find((one) => one.action === action && one.when(parameters));
    if (match === undefined) return undefined;
    match.remaining -= 1;
    if (match.remaining <= 0) this.#planned.splice(this.#planned.indexOf(match), 1);
    return match.fault;
  }
}
