/** What the Graph API refuses a call with. `code` decides; most have HTTP status 400. */
export class GraphError extends Error {
  readonly code: number;
  readonly status: number;
  readonly subcode: number | undefined;
  readonly details: string | undefined;

  constructor(code: number, details?: string, subcode?: number) {
    const { status, title } = known[code] ?? { status: 400, title: "Invalid parameter" };
    super(`(#${code}) ${title}`);
    this.code = code;
    this.status = status;
    this.subcode = subcode;
    this.details = details;
  }

  toBody(traceId: string): object {
    return {
      error: {
        message: this.message,
        type: "OAuthException",
        code: this.code,
        ...(this.subcode === undefined ? {} : { error_subcode: this.subcode }),
        ...(this.details === undefined ? {} : { error_data: { messaging_product: "whatsapp", details: this.details } }),
        fbtrace_id: traceId,
      },
    };
  }
}

/** Title of a code, as statuses show it. */
export function titleOf(code: number): string {
  return known[code]?.title ?? "Invalid parameter";
}

/** Status and title per code, from Meta's page on error codes. */
const known: Readonly<Record<number, { readonly status: number; readonly title: string }>> = {
  0: { status: 401, title: "AuthException" },
  1: { status: 400, title: "API Unknown" },
  2: { status: 503, title: "API Service" },
  4: { status: 400, title: "API Too Many Calls" },
  10: { status: 403, title: "Permission Denied" },
  100: { status: 400, title: "Invalid parameter" },
  190: { status: 401, title: "Access token has expired" },
  368: { status: 403, title: "Temporarily blocked for policies violations" },
  80007: { status: 400, title: "Rate limit issues" },
  130429: { status: 400, title: "Rate limit hit" },
  131000: { status: 500, title: "Something went wrong" },
  131009: { status: 400, title: "Parameter value is not valid" },
  131016: { status: 500, title: "Service unavailable" },
  131026: { status: 400, title: "Message undeliverable" },
  131030: { status: 400, title: "Recipient phone number not in allowed list" },
  131047: { status: 400, title: "Re-engagement message" },
  131048: { status: 400, title: "Spam rate limit hit" },
  131051: { status: 400, title: "Unsupported message type" },
  131053: { status: 400, title: "Media upload error" },
  131056: { status: 400, title: "(Business Account, Consumer Account) pair rate limit hit" },
};

export function invalid(details: string): GraphError {
  return new GraphError(100, details);
}

export function noSuchObject(id: string, method: string): GraphError {
  const words = `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist`;
  return new GraphError(100, words, 33);
}
