import { askJson, errorCode } from "../logins/ask-json.ts";
import { LoginFailure } from "../logins/login-failure.ts";
import { loadAccess } from "../logins/model-logins.ts";
import { type ChatGptSettings, endedText, loginOf, missingText, openAiApi } from "./chatgpt-config.ts";
import { type ChatGptTokenDeps, createChatGptTokens } from "./chatgpt-tokens.ts";

/** https://developers.openai.com/siwc/token-sharing-open-source/token-reference */
const renewableMs = 30 * 24 * 3_600_000;
const mostNames = 1_000;

/** Why a model cannot be asked with this login, as a sentence with the remedy. Undefined when it can, as far as is known here. */
export async function chatGptProblem(
  settings: ChatGptSettings,
  { logins, clock }: ChatGptTokenDeps,
): Promise<string | undefined> {
  const access = await loadAccess(logins, loginOf(settings));
  if (access === undefined) return missingText(settings);
  if ("ended" in access) return endedText(settings, access.ended);
  return access.expiresAt + renewableMs <= clock.now() ? endedText(settings, "unused for 30 days") : undefined;
}

/**
 * The models that this plan offers, in OpenAI's order: https://developers.openai.com/siwc/token-sharing-open-source/models-and-inference.
 * Throws a `LoginFailure`.
 */
export async function listPlanModels(
  settings: ChatGptSettings & { readonly baseUrl?: string | undefined },
  deps: ChatGptTokenDeps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const token = await createChatGptTokens(settings, deps).token(signal);
  const url = new URL(`${(settings.baseUrl ?? openAiApi).replace(/\/+$/, "")}/models`);
  const answer = await askJson(url, { headers: { authorization: `Bearer ${token}` } }, signal);
  const { models } = answer.body;
  if (answer.status !== 200 || !Array.isArray(models))
    throw new LoginFailure(`OpenAI does not list the models of this plan (${errorCode(answer)})`, {
      kind: "overloaded",
    });
  return (models as readonly ({ readonly slug?: unknown; readonly visibility?: unknown } | null)[])
    .filter((model) => model?.visibility === "list")
    .map((model) => model?.slug)
    .filter((slug) => typeof slug === "string")
    .slice(0, mostNames);
}
