import { showOllama } from "@talaria/models";
import type { ChoiceOption } from "../interview.ts";
import { type Answers, Mistake, type Place } from "./answers.ts";
import { tokensText } from "./facts-text.ts";

const showMs = 30_000;

/** By number or name from the server's own list, or typed. `isAsked`: its server may be asked about it. */
export async function askModelName(answers: Answers, { offer, baseUrl }: Place, isAsked: boolean): Promise<string> {
  const model = await nameFrom(answers, offer);
  if (!isAsked) return model;
  if (answers.provider?.local !== "ollama" || baseUrl === undefined) return model;
  const { hasTools } = await showOllama(new URL(baseUrl).origin, model, AbortSignal.timeout(showMs));
  if (hasTools === false)
    throw new Mistake(`${model} can't call tools, as Ollama says, and an agent has to: choose another one`, "model");
  return model;
}

async function nameFrom(answers: Answers, offer: Place["offer"]): Promise<string> {
  if (offer?.length === 0 && answers.known("model") === undefined)
    throw new Mistake(
      `the server has no models yet${answers.provider?.local === "ollama" ? ": `ollama pull qwen3` gets one" : ""}`,
    );
  if (offer === undefined || answers.known("model") !== undefined) {
    const typed = await answers.answer({ key: "model", text: "Model, as its provider writes it" });
    return typed ?? "";
  }
  const options = offer.map(
    ({ name, contextTokens }): ChoiceOption => ({
      value: name,
      ...(contextTokens !== undefined && { hint: tokensText(contextTokens) }),
    }),
  );
  const preset = answers.former("model");
  const text = "Which model? Number, name, or a part of it";
  const answer = await answers.interview.choose({
    text,
    options,
    isOpen: true,
    ...(preset !== undefined && { preset }),
  });
  return answers.note("model", answer);
}
