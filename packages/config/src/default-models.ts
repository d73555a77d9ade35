import type { Environment } from "./references.ts";

/** The `models` of a file without any: OpenAI if its key is set, otherwise the offline demo. */
export function defaultModels(env: Environment): Readonly<Record<string, unknown>> {
  const apiKey = env.OPENAI_API_KEY;
  if (!apiKey) return { main: { provider: "demo" } };
  return { main: { provider: "openai-chat", baseUrl: "https://api.openai.com/v1", model: "gpt-5.6", apiKey } };
}
