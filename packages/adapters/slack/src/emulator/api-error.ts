/** A refusal as Slack words it: status 200 with `ok: false` and a name. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  readonly messages: readonly string[];

  /** `messages` are the further details that Slack gives in `response_metadata`. */
  constructor(code: string, messages: readonly string[] = []) {
    super(code);
    this.code = code;
    this.messages = messages;
  }

  toBody(): object {
    const details = this.messages.length > 0 ? { response_metadata: { messages: this.messages } } : {};
    return { ok: false, error: this.code, ...details };
  }
}
