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

/** A model whose key is renewed now and then. A request that is refused for its token is made once more, with a new one. */
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
        const token = await tokens.token(signal);
        const refusal = yield* ask(token, request, signal);
        if (refusal === undefined) return;
        const next = await tokens.token(signal, token);
        const last = next === token ? refusal : yield* ask(next, request, signal);
        if (last !== undefined) yield last;
      } catch (error) {
        yield { type: "failed", error: failureOf(error) };
      }
    },
  };
}
