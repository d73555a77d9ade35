import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { authenticateSender } from "./authenticate-sender.ts";
import { Headers } from "./headers.ts";

interface Example {
  /** `quoted`: the field stands so in the text that `source` names. `constructed`: written by us in the form that it describes. */
  readonly origin: "quoted" | "constructed";
  readonly source: string;
  /** The name that the server gives itself. */
  readonly server: string;
  /** Folded as the source has it. */
  readonly field: string;
  readonly author: string;
  readonly because: string;
}

const file = new URL("examples/authentication-results.json", import.meta.url);
const examples = JSON.parse(await readFile(file, "utf8")) as Example[];

describe("what mail servers write about senders", () => {
  for (const { origin, source, server, field, author, because } of examples)
    it(`is read, ${origin}: ${source}`, () => {
      const headers = Headers.parse(Buffer.from(`Authentication-Results: ${field}\r\nFrom: ${author}\r\n\r\n`));
      const verdict = authenticateSender(headers, author, { trustedAuthservId: server, receivedAbove: 0 });
      assert.equal(verdict.because, because);
    });

  it("is quoted from a text that anybody can look up, or says that it is constructed", () => {
    for (const { origin, source } of examples)
      assert.equal(origin, /^RFC \d+, /.test(source) ? "quoted" : "constructed");
  });
});
