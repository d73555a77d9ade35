import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { foreignAnswer } from "@talaria/adapter-kit";
import type { ErrorCode } from "@talaria/protocol";
import { GrammyError, HttpError } from "grammy";
import { toGatewayError } from "./errors.ts";

const secretWords = "the secret words of a person";

function answer(error_code: number, description: string, parameters = {}): GrammyError {
  return new GrammyError("failed", { ok: false, error_code, description, parameters }, "sendMessage", {
    text: secretWords,
  });
}

const cases: readonly [status: number, description: string, code: ErrorCode, details?: object][] = [
  [400, "Bad Request: chat not found", "not_found"],
  [400, "Bad Request: message to edit not found", "not_found"],
  [400, "Bad Request: message thread not found", "not_found", { reason: "thread" }],
  [400, "Bad Request: TOPIC_DELETED", "not_found", { reason: "thread" }],
  [400, "Bad Request: TOPIC_CLOSED", "forbidden", { reason: "topic-closed" }],
  [400, "Bad Request: REACTION_INVALID", "unsupported"],
  [400, "Bad Request: there is no text in the message to edit", "invalid_request", { reason: "no-text" }],
  [400, "Bad Request: message is too long", "too_large"],
  [400, "Bad Request: file is too big", "too_large"],
  [400, 'Bad Request: can\'t parse entities: Unsupported start tag "x"', "invalid_request", { reason: "entities" }],
  [400, "Bad Request: message is not modified: the same", "invalid_request", { reason: "not-modified" }],
  [400, "Bad Request: not enough rights to send text messages to the chat", "forbidden"],
  [400, "Bad Request: message text is empty", "invalid_request"],
  [401, "Unauthorized", "unauthorized"],
  [403, "Forbidden: bot was blocked by the user", "forbidden", { reason: "closed" }],
  [404, "Not Found", "unauthorized"],
  [409, "Conflict: terminated by other getUpdates request", "conflict"],
  [413, "Request Entity Too Large", "too_large"],
  [500, "Internal Server Error", "unavailable", { status: 500 }],
  [502, "Bad Gateway", "unavailable", { status: 502 }],
];

describe("toGatewayError", () => {
  for (const [status, description, code, details = {}] of cases)
    it(`takes ${status} ${description} as ${code}`, () => {
      const error = toGatewayError(answer(status, description), "sendMessage");
      assert.deepEqual([error.code, error.details], [code, details]);
      assert.equal(error.effect, code === "unavailable" ? "unknown" : "none");
    });

  it("takes descriptions that are no words", () => {
    const odd = new GrammyError(
      "failed",
      { ok: false, error_code: 400, description: 7 as never, parameters: {} },
      "x",
      {},
    );
    assert.equal(toGatewayError(odd, "sendMessage").message, "telegram answered sendMessage with 400: ");
  });

  it("keeps how long to wait", () => {
    assert.equal(toGatewayError(answer(429, "Too Many", { retry_after: 7 }), "sendMessage").retryAfterMs, 7_000);
    assert.equal(toGatewayError(answer(429, "Too Many"), "sendMessage").retryAfterMs, 1_000);
  });

  it("says where a group moved to", () => {
    const error = toGatewayError(answer(400, "upgraded", { migrate_to_chat_id: -1009 }), "sendMessage");
    assert.deepEqual([error.code, error.details], ["not_found", { migratedTo: "-1009" }]);
  });

  it("takes a server without drafts or rich messages as unsupported", () => {
    for (const method of ["sendMessageDraft", "sendRichMessage"])
      assert.equal(toGatewayError(answer(404, "Not Found"), method).code, "unsupported");
  });

  it("knows which network failures cannot have sent anything", () => {
    const failed = (code: string) => new HttpError("x", Object.assign(new Error("x"), { code }));
    assert.equal(toGatewayError(failed("ECONNREFUSED"), "sendMessage").effect, "none");
    assert.equal(toGatewayError(failed("ENOTFOUND"), "sendMessage").effect, "none");
    assert.equal(toGatewayError(failed("ECONNRESET"), "sendMessage").effect, "unknown");
    assert.equal(toGatewayError(new HttpError("x", new Error("timed out")), "sendMessage").effect, "unknown");
  });

  it("keeps what was found out about an answer that is not Telegram's", () => {
    const foreign = foreignAnswer("telegram", "sendMessage", 502);
    assert.equal(toGatewayError(new HttpError("x", foreign), "sendMessage"), foreign);
  });

  it("calls what was aborted aborted, with the effect unknown", () => {
    const error = toGatewayError(new HttpError("x", new Error("AbortError")), "sendMessage", AbortSignal.abort());
    assert.deepEqual([error.code, error.effect], ["aborted", "unknown"]);
  });

  it("never shows the token or what people wrote", () => {
    const url = "https://api.telegram.org/bot123:SECRET/sendMessage";
    const foreign = Object.assign(new Error(`request to ${url} failed`), { code: "ECONNRESET", url });
    for (const error of [new HttpError(`at ${url}`, foreign), foreign, answer(400, "Bad Request: chat not found")]) {
      const shown = inspect(toGatewayError(error, "sendMessage"), { depth: 10, showHidden: true });
      assert.ok(!shown.includes("SECRET") && !shown.includes(secretWords), shown);
    }
  });
});
