import { responsesVoice } from "./responses-voice.ts";
import { type DialectRequest, listOf, unknownKey, type Voice } from "./voice.ts";

/**
 * The Responses API asked with a ChatGPT plan. Wire facts:
 * https://developers.openai.com/siwc/token-sharing-open-source/preview-limitations and `AdditionalTools` in
 * `resources/responses/responses.d.ts` of openai 7.55.0. Functions stand in an item of the input, which comes before all others.
 */
export const chatGptVoice: Voice = {
  ...responsesVoice,
  path: /^\/v1\/responses$/,
  findFlaw: (request) => findPlanFlaw(request.body) ?? responsesVoice.findFlaw(withPlainTools(request)),
  listing: {
    path: /^\/v1\/models$/,
    body: (names) => ({ models: names.map((slug) => ({ slug, display_name: slug, visibility: "list" })) }),
  },
};

const notWithPlans = `background conversation max_output_tokens max_tool_calls metadata moderation multi_agent prompt
  prompt_cache_retention safety_identifier temperature top_logprobs top_p truncation user previous_response_id`.split(
  /\s+/,
);

function findPlanFlaw(body: DialectRequest["body"]): string | undefined {
  const field = notWithPlans.find((name) => name in body);
  if (field !== undefined) return `Unsupported parameter: '${field}'`;
  if (body.tools !== undefined) return "Unsupported tool: function tools have to be grouped in a namespace";
  if (!Array.isArray(body.input)) return "Invalid type for 'input': expected an array";
  for (const [index, item] of listOf(body.input).entries()) {
    if (item.role === "system") return `input[${index}]: Unsupported role: 'system'`;
    if (item.type !== "additional_tools") continue;
    if (index > 0 || item.role !== "developer") return `input[${index}]: additional tools come first, as a developer's`;
    const flaw = unknownKey(item, "type role tools id", `input[${index}].`);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function withPlainTools(request: DialectRequest): DialectRequest {
  const input = listOf(request.body.input);
  const [first, ...rest] = input;
  if (first?.type !== "additional_tools") return request;
  return { ...request, body: { ...request.body, tools: first.tools, input: rest } };
}
