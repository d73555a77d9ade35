import type { DialectProvider } from "../model-config.ts";
import type { KnownService } from "./known-models.ts";

/** Somebody who serves models, or a program that does on this machine, as people know them. */
export interface KnownProvider {
  /** What is typed for it, as good as its number. */
  readonly id: string;
  readonly title: string;
  readonly dialect: DialectProvider;
  /** Where it is. Undefined where that is asked; `own`: the dialect's own place, which stands in no file. */
  readonly baseUrl?: string;
  readonly key: "needed" | "optional" | "none";
  /** Where its keys are made. */
  readonly keysAt?: string;
  readonly prices?: KnownService;
  /** It runs on this machine, so that answers cost nothing, and may be found there. */
  readonly local?: "ollama" | "lmstudio";
}

export const ownPlace = "own";

/** In the order in which they are offered: their numbers count from 1. */
export const knownProviders: readonly KnownProvider[] = [
  {
    id: "anthropic",
    title: "Anthropic (Claude)",
    dialect: "anthropic",
    baseUrl: ownPlace,
    key: "needed",
    keysAt: "https://platform.claude.com/settings/keys",
    prices: "anthropic",
  },
  {
    id: "openai",
    title: "OpenAI (GPT)",
    dialect: "openai-responses",
    baseUrl: ownPlace,
    key: "needed",
    keysAt: "https://platform.openai.com/api-keys",
    prices: "openai",
  },
  {
    id: "google",
    title: "Google (Gemini)",
    dialect: "google",
    baseUrl: ownPlace,
    key: "needed",
    keysAt: "https://aistudio.google.com/apikey",
    prices: "google",
  },
  {
    id: "openrouter",
    title: "OpenRouter (many providers with one key)",
    dialect: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    key: "needed",
    keysAt: "https://openrouter.ai/settings/keys",
  },
  {
    id: "deepseek",
    title: "DeepSeek",
    dialect: "openai-chat",
    baseUrl: "https://api.deepseek.com/v1",
    key: "needed",
    keysAt: "https://platform.deepseek.com/api_keys",
    prices: "deepseek",
  },
  {
    id: "mistral",
    title: "Mistral",
    dialect: "mistral",
    baseUrl: ownPlace,
    key: "needed",
    keysAt: "https://console.mistral.ai/api-keys",
    prices: "mistral",
  },
  {
    id: "groq",
    title: "Groq",
    dialect: "openai-chat",
    baseUrl: "https://api.groq.com/openai/v1",
    key: "needed",
    keysAt: "https://console.groq.com/keys",
    prices: "groq",
  },
  { id: "ollama", title: "Ollama on this machine", dialect: "openai-chat", key: "none", local: "ollama" },
  { id: "lmstudio", title: "LM Studio on this machine", dialect: "openai-chat", key: "optional", local: "lmstudio" },
  { id: "openai-chat", title: "another server that speaks Chat Completions", dialect: "openai-chat", key: "optional" },
  {
    id: "responses",
    title: "another server that speaks the Responses API",
    dialect: "openai-responses",
    key: "optional",
  },
  {
    id: "messages",
    title: "another server that speaks Anthropic's Messages API",
    dialect: "anthropic",
    key: "optional",
  },
  {
    id: "bedrock",
    title: "Amazon Bedrock, with a Bedrock API key",
    dialect: "bedrock",
    baseUrl: ownPlace,
    key: "needed",
  },
];

/** Other words for some of them: their dialects, as scripts of former releases say. */
const otherNames: Readonly<Record<string, string>> = {
  "openai-responses": "openai",
  claude: "anthropic",
  gpt: "openai",
  chatgpt: "openai",
  gemini: "google",
  "lm-studio": "lmstudio",
  "lm studio": "lmstudio",
  other: "openai-chat",
};

/** By its number, its name or another word for it; undefined when nobody is called so. */
export function providerNamed(text: string): KnownProvider | undefined {
  const word = text.trim().toLowerCase();
  if (/^\d{1,3}$/.test(word)) return knownProviders[Number(word) - 1];
  const id = Object.hasOwn(otherNames, word) ? otherNames[word] : word;
  return knownProviders.find((each) => each.id === id || each.title.toLowerCase() === word);
}
