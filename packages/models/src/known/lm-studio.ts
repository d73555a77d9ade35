import { modelsIn } from "../offered-models.ts";
import { askServer } from "./ask-server.ts";

/** Where LM Studio serves, without `/v1`: https://lmstudio.ai/docs/developer/core/server. */
export const lmStudioAddress = "http://127.0.0.1:1234";

/**
 * The window with which LM Studio has loaded a model, as its own list says (GET /api/v0/models, since 0.3.6), or the most that the model
 * was made for. Undefined where nothing of the kind is listed. Throws `unavailable`.
 */
export async function lmStudioWindow(address: string, model: string, signal: AbortSignal): Promise<number | undefined> {
  const { body } = await askServer(new URL("/api/v0/models", address), {}, signal);
  return modelsIn(body)?.find(({ name }) => name === model)?.contextTokens;
}
