import type { ModelFailure, ModelFailureKind } from "@talaria/agent";

/** Why there is no token to ask a model with. The message is for operators, names the remedy and holds no secret. */
export class LoginFailure extends Error {
  readonly kind: Extract<ModelFailureKind, "auth" | "overloaded" | "network" | "aborted" | "bad_request">;

  constructor(message: string, { kind, cause }: { readonly kind: LoginFailure["kind"]; readonly cause?: unknown }) {
    super(message, { cause });
    this.kind = kind;
  }
}

export function failureOf(error: unknown): ModelFailure {
  const isOurs = error instanceof LoginFailure;
  const message = isOurs ? error.message : "the login of this model cannot be read: see the log";
  return { kind: isOurs ? error.kind : "overloaded", message, visible: false };
}
