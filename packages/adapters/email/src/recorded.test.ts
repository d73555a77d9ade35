import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { authenticateSender } from "./authenticate-sender.ts";
import { Headers } from "./headers.ts";

interface Recorded {
  readonly source: string;
  readonly field: string;
  readonly author: string;
  readonly because: string;
}

const file = new URL("recorded/authentication-results.json", import.meta.url);
const recorded = JSON.parse(await readFile(file, "utf8")) as Recorded[];

describe("what mail servers write about senders", () => {
  for (const { source, field, author, because } of recorded)
    it(`is read: ${source}`, () => {
      const headers = Headers.parse(Buffer.from(`Authentication-Results: ${field}\r\nFrom: ${author}\r\n\r\n`));
      const verdict = authenticateSender(headers, author, { trustedAuthservId: "mx.test", receivedAbove: 0 });
      assert.equal(verdict.because, because);
    });
});
