import type { ModelPort } from "@talaria/agent";
import { modelChoices, type TalariaConfig } from "@talaria/config";
import { chosenIn } from "@talaria/sessions";
import type { Chosen } from "@talaria/store";

/** What an answer may take where the model's output has no configured limit. */
const defaultAnswerTokens = 16_384;
const defaultWindowTokens = 128_000;

/** A model as it answers in a conversation, with its fallbacks. */
export interface AnsweringModel {
  /** In the configuration. */
  readonly modelName: string;
  readonly model: ModelPort;
  readonly limits: { readonly windowTokens: number; readonly answerTokens: number };
}

/**
 * Finds the model of a conversation by what was chosen there, as far as whoever chose it may have it now. Each is made once. `connect`
 * makes one by its name, with another effort than the configured one where there is one.
 */
export function createChosenModel(
  config: Pick<TalariaConfig, "agent" | "models">,
  connect: (name: string, effort: string | undefined) => ModelPort,
): (chosen?: Chosen) => AnsweringModel {
  const choices = modelChoices(config);
  const known = new Map<string, AnsweringModel>();
  return (chosen = {}) => {
    const { model: modelName, effort } = chosenIn(chosen, choices);
    const key = JSON.stringify([modelName, effort]);
    const own = known.get(key) ?? {
      modelName,
      model: connect(modelName, effort === choices.effortOf[modelName] ? undefined : effort),
      limits: windowOf(config.models[modelName]),
    };
    known.set(key, own);
    return own;
  };
}

function windowOf(entry: TalariaConfig["models"][string] | undefined) {
  return {
    windowTokens: entry?.contextTokens ?? defaultWindowTokens,
    answerTokens: entry?.maxOutputTokens ?? defaultAnswerTokens,
  };
}
