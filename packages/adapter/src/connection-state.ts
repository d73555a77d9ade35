import type { ErrorCode } from "@talaria/protocol";

export type ConnectionState =
  | { readonly status: "stopped" }
  | { readonly status: "connecting" }
  | { readonly status: "connected" }
  /** An operator has to link a device now: show `value` as a QR code, or let it be typed in. A newer one replaces it. */
  | { readonly status: "linking"; readonly method: "qr" | "code"; readonly value: string }
  | { readonly status: "reconnecting"; readonly attempt: number; readonly code: ErrorCode }
  /** An operator has to act: pair again, rotate a token. The adapter will not retry on its own. */
  | { readonly status: "needs-operator"; readonly code: ErrorCode; readonly hint: string };
