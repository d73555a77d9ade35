import { anthropicVoice } from "./anthropic-voice.ts";
import { googleVoice } from "./google-voice.ts";
import type { DialectRequest, Refusal, Voice } from "./voice.ts";

/**
 * Gemini on Vertex AI. Wire facts: `google-vertex-provider.ts` of @ai-sdk/google-vertex, and
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference: the address names project and location, the token
 * is a bearer's, calls have no ids.
 */
export const vertexVoice: Voice = {
  ...googleVoice,
  path: /^\/v1beta1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/[^/]+:streamGenerateContent$/,
  keyOf: bearerAlone,
  findFlaw: (request) =>
    /"function(Call|Response)":\{"id":/.test(JSON.stringify(request.body))
      ? 'Unknown name "id" at function_call: Cannot find field.'
      : googleVoice.findFlaw(request),
  refuse: (why, seconds) => (why === "auth" ? unauthenticated : googleVoice.refuse(why, seconds)),
};

const unauthenticated: Refusal = {
  status: 401,
  body: { error: { code: 401, status: "UNAUTHENTICATED", message: "Request had invalid authentication credentials." } },
};

/**
 * Claude on Vertex AI. Wire facts: https://docs.claude.com/en/api/claude-on-vertex-ai: the address names the model, the body the
 * version; automatic caching is not there.
 */
export const anthropicOnVertexVoice: Voice = {
  ...anthropicVoice,
  path: /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/anthropic\/models\/[^/]+:streamRawPredict$/,
  keyOf: bearerAlone,
  findFlaw: (request) => {
    const { anthropic_version: version, ...body } = request.body;
    if (version !== "vertex-2023-10-16") return "anthropic_version: Field required";
    if ("model" in body) return "model: Extra inputs are not permitted";
    if ("cache_control" in body) return "cache_control: Extra inputs are not permitted";
    return anthropicVoice.findFlaw({ ...request, body: { ...body, model: modelIn(request) } });
  },
  speaker: (request, quirks) =>
    anthropicVoice.speaker({ ...request, body: { ...request.body, model: modelIn(request) } }, quirks),
};

function bearerAlone({ authorization, ...headers }: DialectRequest["headers"]): string | undefined {
  if (headers["x-goog-api-key"] !== undefined || headers["x-api-key"] !== undefined) return undefined;
  return /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
}

function modelIn({ path }: DialectRequest): string {
  return decodeURIComponent(/models\/([^/]+):/.exec(path)?.[1] ?? "");
}
