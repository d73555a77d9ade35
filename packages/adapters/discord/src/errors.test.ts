import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DiscordAPIError, type DiscordErrorData } from "discord.js";
import { toCloseError, toGatewayError } from "./errors.ts";

function answer(status: number, code: number, errors?: DiscordErrorData["errors"]): DiscordAPIError {
  const body = { code, message: "people's words", ...(errors && { errors }) };
  return new DiscordAPIError(body, code, status, "POST", "/channels/1/messages", { files: [], body: {} });
}

const tooLong = {
  content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }] },
};

const rows: readonly (readonly [what: string, error: unknown, code: string, effect: string])[] = [
  ["an unknown channel", answer(404, 10_003), "not_found", "none"],
  ["an unknown message", answer(404, 10_008), "not_found", "none"],
  ["missing access", answer(403, 50_001), "forbidden", "none"],
  ["a person who takes no messages", answer(403, 50_007), "forbidden", "none"],
  ["an archived thread", answer(400, 50_083), "forbidden", "none"],
  ["a text that is too long", answer(400, 50_035, tooLong), "too_large", "none"],
  ["a file that is too large", answer(413, 40_005), "too_large", "none"],
  ["any other bad form", answer(400, 50_035), "invalid_request", "none"],
  ["a number nobody knows, by its status", answer(403, 99_999), "forbidden", "none"],
  ["a refused connection", Object.assign(new Error("x"), { code: "ECONNREFUSED" }), "unavailable", "none"],
  ["a broken connection", Object.assign(new Error("x"), { code: "ECONNRESET" }), "unavailable", "unknown"],
  ["something else", "odd", "unavailable", "unknown"],
];

describe("errors of Discord", () => {
  for (const [what, error, code, effect] of rows)
    it(`become ${code}: ${what}`, () => {
      const converted = toGatewayError(error, "POST /channels/:id/messages");
      assert.deepEqual([converted.code, converted.effect], [code, effect]);
      assert.equal(converted.cause, undefined);
      assert.ok(!converted.message.includes("people's words"));
    });

  it("say by close codes what an operator has to mend", () => {
    const codes = [4_004, 4_014, 4_013, 4_011].map((closeCode) => toCloseError(closeCode).code);
    assert.deepEqual(codes, ["unauthorized", "forbidden", "invalid_request", "invalid_request"]);
  });
});
