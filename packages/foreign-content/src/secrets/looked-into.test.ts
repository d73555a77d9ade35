import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { isGatewayError } from "@talaria/protocol";
import { lookedInto } from "./looked-into.ts";

const value = "canary/+value=0123456789abcdef";
const much = "The quick brown fox. ".repeat(20_000);

/** As a program writes it that knows no lengths beforehand. */
function zipOf(files: readonly string[]): Buffer {
  return Buffer.concat(
    files.flatMap((text) => {
      const head = Buffer.alloc(30);
      head.write("PK\u0003\u0004");
      head.writeUInt16LE(8, 6);
      head.writeUInt16LE(8, 8);
      head.writeUInt16LE(5, 26);
      return [head, Buffer.from("a.txt"), deflateRawSync(text), Buffer.from("PK\u0007\u0008............")];
    }),
  );
}

async function* inPieces(whole: Buffer, size: number) {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

async function through(whole: Buffer, size: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of lookedInto(inPieces(whole, size), [value])) pieces.push(piece);
  return Buffer.concat(pieces);
}

const sizes = [1, 7, 1_000, 1_000_000];
const holding: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(`${much}${value}${much}`),
  "gzip, as its last word": gzipSync(`log: ${value}`),
  "gzip of two parts": Buffer.concat([gzipSync(much), gzipSync(JSON.stringify({ value }).replaceAll("+", "\\u002B"))]),
  "gzip that is cut off": gzipSync(`${much}${value}`).subarray(0, -8),
  zip: zipOf([much, `${much}${value}`, much]),
};

describe("a packed file of a host that was sent a secret", () => {
  for (const [kind, whole] of Object.entries(holding))
    it(`is refused if it holds the value: ${kind}`, async () => {
      for (const size of sizes)
        await assert.rejects(
          through(whole, size),
          (error) => isGatewayError(error, "unavailable") && /holds the secret/.test(error.message),
          `in pieces of ${size}`,
        );
    });

  const fine = {
    gzip: gzipSync(much),
    zip: zipOf([much, "", "short"]),
    "cut off": gzipSync(much).subarray(0, 40),
    text: Buffer.from(much.slice(0, 9_000)),
    short: Buffer.from("PK"),
    nothing: Buffer.alloc(0),
    "a mark without a file": Buffer.from("PK\u0003\u0004 not a zip at all, by its length and its words"),
  };
  for (const [kind, whole] of Object.entries(fine))
    it(`comes as it is if it doesn't: ${kind}`, async () => {
      for (const size of sizes) assert.ok((await through(whole, size)).equals(whole), `in pieces of ${size}`);
    });

  it("is refused if it can't be unpacked", async () => {
    const broken = gzipSync(much);
    broken.fill(0xff, 20, 60);
    await assert.rejects(through(broken, 1_000), /a gzip file that can't be unpacked/);
  });
});
