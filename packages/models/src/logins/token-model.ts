import type { ModelEvent, ModelPort, ModelRequest } from "@talaria/agent";
import { failureOf } from "./login-failure.ts";

/** Gives tokens for requests. */
export interface TokenSource {
  /**
   * A token that is good for some more minutes. With `refused`, which the provider did not take, another one, or the same when
   * there is no other. Throws a `LoginFailure` when there is none at all.
   */
  token(signal: AbortSignal, refused?: string): Promise<string>;
}

/** A model that asks with one token. */
export interface TokenModel {
  readonly model: ModelPort;
  /** The provider has said that it does not take this token. */
  isRefused(): boolean;
}

/**
 * How often one request is made. A process may hold a token from before the last renewal, and the one that the others renewed
 * may have been revoked as well: only the third comes from a renewal for certain.
 */
const maxTokens = 3;

/** A model whose key is renewed now and then. A request that is refused for its token is made again, with a new one. */
export function createTokenModel(tokens: TokenSource, modelWith: (token: string) => TokenModel): ModelPort {
  let known: { readonly token: string; readonly model: TokenModel } | undefined;

  function modelFor(token: string): TokenModel {
    if (known?.token !== token) known = { token, model: modelWith(token) };
    return known.model;
  }

  /** Hands on what the model says, except for the refusal of its token, which is returned. */
  async function* ask(token: string, request: ModelRequest, signal: AbortSignal) {
    const { model, isRefused } = modelFor(token);
    let refusal: ModelEvent | undefined;
    for await (const event of model.stream(request, signal)) {
      if (event.type === "failed" && !event.error.visible && isRefused()) refusal = event;
      else yield event;
    }
    return refusal;
  }

  return {
    async *stream(request, signal) {
      try {
        let token = await tokens.token(signal);
        for (let tries = 1; ; tries++) {
          const refusal = yield* ask(token, request, signal);
          if (refusal === undefined) return;
          const next = tries < maxTokens ? await tokens.token(signal, token) : token;
          if (next === token) return yield refusal;
          token = next;
        }
      } catch (error) {
        yield { type: "failed", error: failureOf(error) };
      }
    },
  };
}
