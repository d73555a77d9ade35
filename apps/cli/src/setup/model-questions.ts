import type { SetupQuestion } from "@talaria/adapter";

/** Providers in the order in which they are offered, with what `talaria setup model` has to know of them. */
export const modelProviders = ["openai-responses", "anthropic", "google", "mistral", "bedrock", "openai-chat"] as const;

export type SetupProvider = (typeof modelProviders)[number];

export const providerQuestion: SetupQuestion = {
  key: "provider",
  text: `API (${modelProviders.join(", ")}; openai-chat for every compatible server)`,
  preset: "openai-responses",
};

/** What is asked once the provider is known. Only servers of one's own need an address, and no key. */
export function questionsFor(provider: SetupProvider): readonly SetupQuestion[] {
  const ownServer = provider === "openai-chat";
  return [
    { key: "baseUrl", text: "Base URL (empty: the provider's own)", preset: "" },
    { key: "apiKey", text: "API key", secret: true, ...(ownServer && { preset: "" }) },
  ];
}

export const modelQuestion: SetupQuestion = { key: "model", text: "Model" };

export function isProvider(text: string): text is SetupProvider {
  return (modelProviders as readonly string[]).includes(text);
}
