import assert from "node:assert/strict";
import { it } from "node:test";
import type { ModelFailureKind } from "@talaria/agent";
import { APIError } from "openai";
import { toModelFailure } from "../dialect/model-failure.ts";
import { planError } from "./plan-error.ts";

const cases: readonly (readonly [status: number, code: string, kind: ModelFailureKind, words: RegExp])[] = [
  [429, "subscription_sharing_usage_limit_exceeded", "quota", /no usage left: see chatgpt\.com\/settings\/usage/],
  [503, "subscription_sharing_usage_unavailable", "overloaded", /cannot be told now/],
  [503, "subscription_sharing_user_unavailable", "overloaded", /cannot be reached now/],
  [403, "subscription_sharing_user_not_eligible", "auth", /status 403/],
  [403, "chatpass_v2_scope_not_authorized", "auth", /status 403/],
  [400, "subscription_sharing_unsupported_capability", "bad_request", /as OpenAI says it/],
  [429, "rate_limit_exceeded", "rate_limit", /as OpenAI says it/],
];

for (const [status, code, kind, words] of cases)
  it(`tells operators what ${code} is about`, () => {
    const headers = new Headers({ "retry-after": "60" });
    const error = APIError.generate(status, { error: { code, message: "as OpenAI says it" } }, undefined, headers);
    const failure = toModelFailure(planError(error), { visible: false, secrets: [], now: 0 });
    assert.equal(failure.kind, kind);
    assert.match(failure.message, words);
    assert.equal(failure.retryAfterMs, 60_000);
  });
