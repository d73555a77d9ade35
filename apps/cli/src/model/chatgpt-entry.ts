import type { TalariaConfig } from "@talaria/config";
import type { ChatGptConfig } from "@talaria/models";
import { shownWord } from "../shown-word.ts";

const ordinary = "chatgpt";

/** A model that is asked with a ChatGPT plan, as far as its login is concerned. */
export type ChatGptEntry = Pick<ChatGptConfig, "baseUrl" | "oauth"> & { readonly login: string };

/** The models of the configuration that are asked with a ChatGPT plan, with their names. */
export function chatGptEntries({
  models,
}: Pick<TalariaConfig, "models">): readonly (ChatGptEntry & { readonly name: string })[] {
  return Object.entries(models)
    .filter(([, { provider }]) => provider === "chatgpt")
    .map(([name, { baseUrl, oauth, login = ordinary }]) => ({ name, baseUrl, oauth, login }));
}

/**
 * The login of this name, or that of the model of this name. The ordinary one needs no model, since a plan's models are known only
 * after the login. Throws one sentence when there is no such login.
 */
export function chatGptEntry(name: string, config: Pick<TalariaConfig, "models">): ChatGptEntry {
  const entries = chatGptEntries(config);
  const found = entries.find(({ login }) => login === name) ?? entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  if (name === ordinary) return { login: ordinary };
  if (config.models[name] !== undefined)
    throw new Error(`the model ${name} has no login: only models of the provider \`chatgpt\` have one`);
  const names = [...new Set(entries.map(({ login }) => login))].join(", ") || "none";
  throw new Error(`there is no login called ${shownWord(name)} in models: there is ${names}`);
}
