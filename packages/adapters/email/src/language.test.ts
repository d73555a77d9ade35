import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toEnvelope } from "./envelope.ts";
import { Headers } from "./headers.ts";

const settings = { address: "gw@mail.test", authServers: [], dmarc: "required" } as never;

function languageIn(more: string): string | undefined {
  const head = `From: Ada <ada@people.test>\r\nMessage-ID: <1@people.test>\r\n${more}\r\n\r\n`;
  return toEnvelope(Headers.parse(Buffer.from(head)), settings, 1).language;
}

describe("the language of a mail's author", () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Accept-Language: de-DE, en-US", "de-DE"],
    ["Accept-Language: en-US;q=0.5, fr\r\nContent-Language: en-US", "fr"],
    ["Content-Language: pt-BR", "pt-BR"],
    ["Content-Language: en, fr", undefined],
    [`Content-Language: ${"x".repeat(5_000)}`, undefined],
    ["Subject: Hallo", undefined],
  ];
  for (const [header, language] of rows)
    it(`is ${language ?? "not known"} by ${header.slice(0, 60)}`, () => assert.equal(languageIn(header), language));
});
