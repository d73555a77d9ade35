/** Whether the side effect of a failed call may have happened all the same. */
export type Effect = "none" | "unknown";

interface ErrorRule {
  readonly retry: "never" | "backoff" | "after-delay";
  readonly effect: Effect;
}

/**
 * Every code the gateway can raise, whether to try again, and whether the side effect may have happened.
 * docs/building/errors.md mirrors this table.
 */
export const errorTable = {
  rate_limited: { retry: "after-delay", effect: "none" },
  unavailable: { retry: "backoff", effect: "unknown" },
  unauthorized: { retry: "never", effect: "none" },
  forbidden: { retry: "never", effect: "none" },
  not_found: { retry: "never", effect: "none" },
  unsupported: { retry: "never", effect: "none" },
  invalid_request: { retry: "never", effect: "none" },
  too_large: { retry: "never", effect: "none" },
  conflict: { retry: "backoff", effect: "none" },
  aborted: { retry: "never", effect: "unknown" },
  internal: { retry: "backoff", effect: "unknown" },
} as const satisfies Record<string, ErrorRule>;

export type ErrorCode = keyof typeof errorTable;

export interface GatewayErrorOptions {
  readonly code: ErrorCode;
  readonly cause?: unknown;
  readonly retryAfterMs?: number;
  /** Overrides the table where the thrower knows better. `unknown` forbids a blind retry. */
  readonly effect?: Effect;
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

/** The one error class. `message` is for operators; people read a separate notice. */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly effect: Effect;
  readonly details: Readonly<Record<string, string | number | boolean>>;

  constructor(message: string, options: GatewayErrorOptions) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.retryAfterMs = options.retryAfterMs;
    this.effect = options.effect ?? errorTable[options.code].effect;
    this.details = options.details ?? {};
  }
}

export function isGatewayError(error: unknown, code?: ErrorCode): error is GatewayError {
  return error instanceof GatewayError && (code === undefined || error.code === code);
}
