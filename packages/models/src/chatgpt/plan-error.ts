import { WireError } from "../dialect/model-failure.ts";

/** What a code means here, with the kind that `toModelFailure` reads from `type`, and what an operator does about it. */
interface Meaning {
  readonly type: string;
  readonly status: number;
  readonly text: string;
}

const notForUs = { type: "permission_denied", status: 403 };
const later = { type: "service_unavailable", status: 503 };

/** https://developers.openai.com/siwc/token-sharing-open-source/errors-and-recovery#structured-responses-errors */
const meanings: Readonly<Record<string, Meaning>> = {
  subscription_sharing_usage_limit_exceeded: {
    type: "insufficient_quota",
    status: 429,
    text: "the ChatGPT plan has no usage left: see chatgpt.com/settings/usage",
  },
  subscription_sharing_usage_unavailable: { ...later, text: "the usage of the ChatGPT plan cannot be told now" },
  subscription_sharing_user_unavailable: { ...later, text: "the ChatGPT account cannot be reached now" },
  subscription_sharing_user_not_eligible: {
    ...notForUs,
    text: "the ChatGPT plan or its workspace does not allow this",
  },
  subscription_sharing_invalid_user: { ...notForUs, text: "OpenAI does not know the ChatGPT account of this login" },
  chatpass_v2_scope_not_authorized: { ...notForUs, text: "the login does not allow the use of the ChatGPT plan" },
  chatpass_v2_invalid_authorization_context: { ...notForUs, text: "OpenAI does not take this login" },
};

/** An error of the Responses API, with what OpenAI says of plans in words that `toModelFailure` knows. 401 stays as it is. */
export function planError(error: unknown): unknown {
  const { code, status, headers } = error as { readonly [Name in "code" | "status" | "headers"]?: unknown };
  const meaning = typeof code === "string" && Object.hasOwn(meanings, code) ? meanings[code] : undefined;
  if (meaning === undefined || status === 401) return error;
  const told = new WireError(meaning.text, { code, type: meaning.type, status: meaning.status });
  return Object.assign(told, { headers });
}
