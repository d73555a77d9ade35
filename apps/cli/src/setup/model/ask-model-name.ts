import { showOllama } from "@talaria/models";
import type { ChoiceOption } from "../interview.ts";
import { type Draft, Mistake, type Place } from "./draft.ts";
import { tokensText } from "./facts-text.ts";

const showMs = 30_000;

/** By number or name from the server's own list, or typed. `isAsked`: its server may be asked about it. */
export async function askModelName(draft: Draft, { offer, baseUrl }: Place, isAsked: boolean): Promise<string> {
  const model = await nameFrom(draft, offer);
  if (!isAsked) return model;
  if (draft.provider?.local !== "ollama" || baseUrl === undefined) return model;
  const { hasTools } = await showOllama(new URL(baseUrl).origin, model, AbortSignal.timeout(showMs));
  if (hasTools === false)
    throw new Mistake(`${model} can't call tools, as Ollama says, and an agent has to: choose another one`, "model");
  return model;
}

async function nameFrom(draft: Draft, offer: Place["offer"]): Promise<string> {
  if (offer?.length === 0 && draft.known("model") === undefined)
    throw new Mistake(
      `the server has no models yet${draft.provider?.local === "ollama" ? ": `ollama pull qwen3` gets one" : ""}`,
    );
  if (offer === undefined || draft.known("model") !== undefined) {
    const typed = await draft.answer({ key: "model", text: "Model, as its provider writes it" });
    return typed ?? "";
  }
  const options = offer.map(
    ({ name, contextTokens }): ChoiceOption => ({
      value: name,
      ...(contextTokens !== undefined && { hint: tokensText(contextTokens) }),
    }),
  );
  const preset = draft.former("model");
  const text = "Which model? Number, name, or a part of it";
  const answer = await draft.interview.choose({ text, options, isOpen: true, ...(preset !== undefined && { preset }) });
  return draft.note("model", answer);
}
