/** How one server is doing, for the operator. `problem`, `leftOut`, `notes` and `unknown` may hold words of the server, cut and cleaned. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState["state"];
  readonly tools: number;
  readonly problem?: string;
  /** Which of its tools are not offered, and why. */
  readonly leftOut: readonly string[];
  /** What an operator who looks at the others may want to know. */
  readonly notes: readonly string[];
  /** Names in its configuration that are those of nothing, and what to do. */
  readonly unknown: readonly string[];
  /** `modern` is the protocol of 2026-07-28 and later. */
  readonly era?: "legacy" | "modern";
}

export type ServerState =
  /** `unused`: nobody has needed it yet. */
  | { readonly state: "unused" | "stopped" | "connecting" }
  | { readonly state: "ready"; readonly era: "legacy" | "modern" }
  | { readonly state: "down"; readonly problem: string }
  /** A person has been asked to log in. */
  | { readonly state: "login"; readonly problem: string };
