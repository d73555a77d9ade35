import type { NoAnswer } from "@talaria/testkit";

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
  | NoAnswer;
