/** A refusal of the Bot API. The server turns it into `{ ok: false, error_code, description, parameters? }`. */
export class ApiError extends Error {
  readonly code: number;
  readonly parameters: { readonly retry_after?: number; readonly migrate_to_chat_id?: number } | undefined;

  constructor(code: number, description: string, parameters?: ApiError["parameters"], cause?: unknown) {
    super(description, { cause });
    this.name = "ApiError";
    this.code = code;
    this.parameters = parameters;
  }

  /** The body as it goes over the wire. */
  toBody(): object {
    return {
      ok: false,
      error_code: this.code,
      description: this.message,
      ...(this.parameters && { parameters: this.parameters }),
    };
  }
}

export function badRequest(reason: string, cause?: unknown): ApiError {
  return new ApiError(400, `Bad Request: ${reason}`, undefined, cause);
}

export function forbidden(reason: string): ApiError {
  return new ApiError(403, `Forbidden: ${reason}`);
}

export function conflict(reason: string): ApiError {
  return new ApiError(409, `Conflict: ${reason}`);
}

/** @param retryAfter whole seconds, at least 1 */
export function tooManyRequests(retryAfter: number): ApiError {
  return new ApiError(429, `Too Many Requests: retry after ${retryAfter}`, { retry_after: retryAfter });
}
