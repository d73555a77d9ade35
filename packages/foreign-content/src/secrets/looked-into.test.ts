import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";
import { isGatewayError } from "@talaria/protocol";
import { lookedInto } from "./looked-into.ts";

const value = "canary/+value=0123456789abcdef";
const much = "The quick brown fox. ".repeat(20_000);

/** As a program writes it that knows no lengths beforehand. */
function zipOf(files: readonly (string | Buffer)[]): Buffer {
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

/** As a program writes it that packs nothing twice. */
function zipWith(content: Buffer, method = 0): Buffer {
  const head = Buffer.alloc(30);
  head.write("PK\u0003\u0004");
  head.writeUInt16LE(method, 8);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt16LE(5, 26);
  return Buffer.concat([head, Buffer.from("a.bin"), content, zipOf(["after"])]);
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
  zstd: zstdCompressSync(`${much}${value}${much}`),
  "zstd of two parts": Buffer.concat([zstdCompressSync(much), zstdCompressSync(value)]),
  "zip in gzip": gzipSync(zipOf([much, value])),
  "gzip in zip": zipOf([much, gzipSync(`${much}${value}`)]),
  "gzip that a zip has not packed again": zipWith(gzipSync(`${much}${value}`)),
  "zstd in gzip in zip": zipOf([gzipSync(zstdCompressSync(value))]),
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
    zstd: zstdCompressSync(much),
    "zip in gzip": gzipSync(zipOf([much, "short"])),
    "gzip in zip": zipWith(gzipSync(much)),
    "the beginning of a mark": Buffer.from("BZ"),
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

  it("is refused if it is packed in a way in which nobody can look, also within another file", async () => {
    const kinds = {
      xz: Buffer.from("\xfd7zXZ\0 and more", "latin1"),
      bzip2: Buffer.from("BZh91AY&SY and more", "latin1"),
      "7z": Buffer.from("7z\xbc\xaf\x27\x1c and more", "latin1"),
      RAR: Buffer.from("Rar!\x1a\x07\x01 and more", "latin1"),
    };
    for (const [name, whole] of Object.entries(kinds))
      for (const file of [whole, gzipSync(whole), zipOf([whole]), zipWith(whole)])
        for (const size of sizes)
          await assert.rejects(
            through(file, size),
            (error) =>
              isGatewayError(error, "unavailable") &&
              error.message === `the host's answer is packed with ${name}, in which nobody can look for the secret`,
            `${name} in pieces of ${size}`,
          );
    await assert.rejects(through(zipWith(Buffer.from("lzma"), 14), 1_000), /a zip file packed in a way/);
    let deep = Buffer.from("deep");
    for (let level = 0; level < 7; level += 1) deep = gzipSync(deep);
    await assert.rejects(through(deep, 1_000), /packed more than 5 times/);
  });

  it("is refused if it can't be unpacked", async () => {
    const broken = gzipSync(much);
    broken.fill(0xff, 20, 60);
    await assert.rejects(through(broken, 1_000), /a gzip file that can't be unpacked/);
  });
});
