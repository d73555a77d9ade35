import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cooperatively, Ruler, takeChunk } from "@talaria/markdown";
import { type Choice, GatewayError } from "@talaria/protocol";
import fc from "fast-check";
import { maxLabelLength, maxTextLength } from "./capabilities.ts";
import { checkContent } from "./emulator/check-content.ts";
import { CallArgs } from "./emulator/method.ts";
import { measure } from "./format.ts";
import { type Content, contentOf } from "./outbound.ts";
import { withoutRefusedBlocks } from "./refused-blocks.ts";

const seed = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };

/** Paragraphs that grow when Slack reads them, or when they are written in its own dialect. */
const kinds: readonly ((n: number) => string)[] = [
  (n) => `word${n} and what belongs to it`,
  (n) => `# word${n}`,
  (n) => `## word${n}\n\nbelow\n\n---`,
  (n) => `word${n} ${"a && b <c> ".repeat(12)}`,
  (n) => `[word${n} ${"with a long label ".repeat(20)}](https://e.org/${n}?${"a=1&".repeat(60)})`,
  (n) => `[word${n}](https://e.org/${"way/".repeat(1_000)})`,
  (n) => `https://e.org/word${n}?${"a=1&".repeat(1_500)}`,
  (n) => `\`\`\`ts\nword${n} && ${"<b>&</b> ".repeat(30)}\n\`\`\``,
  (n) => `| a | word${n} |\n| - | - |\n| ${"wide ".repeat(14)} | 1 |\n${"| 2 | 3 |\n".repeat(60)}`,
  (n) => `- word${n}\n  - **inside** *it*\n\n> said\n> before`,
  (n) => `😀🏽 word${n} ${"👩‍👩‍👧 ".repeat(40)}`,
];
const answer = fc
  .array(fc.tuple(fc.constantFrom(...kinds), fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.flatMap(([kind, times]) => Array.from({ length: times }, (_, n) => kind(n))))
  .map((paragraphs) => paragraphs.join("\n\n").slice(0, 30_000));
const choices = fc
  .tuple(fc.constantFrom(0, 1, 5, 30, 100), fc.integer({ min: 1, max: maxLabelLength }))
  .map(([count, length]) =>
    Array.from({ length: count }, (_, n) => ({ id: `c${n}`, label: `${n} `.padEnd(length, "x") })),
  );

describe("the size of a message on Slack", () => {
  it("is what Slack takes, in Markdown and in its own dialect, with all its words", async () => {
    const property = fc.asyncProperty(answer, choices, async (markdown, labels) => {
      for (const chunk of await chunksOf(markdown, maxTextLength)) await isTaken(chunk, labels);
    });
    await fc.assert(property, { numRuns: 6, ...seed });
  });

  it("counts headings and signs as Slack does, so that an answer stays Markdown", async () => {
    const dense = Array.from({ length: 45 }, (_, n) => `# Title ${n}\n\n${"all of it ".repeat(20)}`).join("\n\n");
    assert.ok(dense.length < maxTextLength);
    const chunks = await chunksOf(dense, maxTextLength);
    assert.equal(chunks.length, 2);
    for (const chunk of chunks) taken(contentOf(chunk));
  });

  it("is not taken for one message where the labels leave no room, and has room once it is halved", async () => {
    const text = "all of it ".repeat(1_190);
    const labels = Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, label: `${n} `.padEnd(75, "x") }));
    assert.throws(() => contentOf(text, labels), { code: "too_large" });
    for (const half of await chunksOf(text, Math.floor(measure(text) / 2))) taken(contentOf(half, labels));
  });
});

async function chunksOf(markdown: string, limit: number): Promise<readonly string[]> {
  const ruler = new Ruler(measure, limit);
  const chunks: string[] = [];
  for (let rest = markdown; rest.trim() !== ""; ) {
    const first = await cooperatively(takeChunk(rest, ruler), async () => undefined);
    chunks.push(first.chunk);
    rest = first.rest;
  }
  return chunks;
}

/** Taken as it is or, as delivery does with one that is too large, in halves; and so in Slack's own dialect. */
async function isTaken(chunk: string, labels: readonly Choice[]): Promise<void> {
  const pieces = fits(chunk, labels) ? [chunk] : await chunksOf(chunk, Math.ceil(measure(chunk) / 2));
  for (const [n, piece] of pieces.entries()) {
    const below = n === pieces.length - 1 ? labels : [];
    taken(contentOf(piece, below));
    await withoutRefusedBlocks(piece, below, async (content) => {
      if (content.blocks.some(({ type }) => type === "markdown"))
        throw new GatewayError("refused", { code: "invalid_request", details: { error: "invalid_blocks" } });
      const shown = taken(content);
      for (const [word] of piece.matchAll(/word\d+/g)) assert.ok(shown.includes(word), `${word} is shown`);
    });
  }
}

function fits(chunk: string, labels: readonly Choice[]): boolean {
  try {
    contentOf(chunk, labels);
    return true;
  } catch (error) {
    assert.equal((error as GatewayError).code, "too_large");
    return false;
  }
}

/** What people see of it. Throws what the emulator throws. A table has limits of its own, which are not those of a message. */
function taken({ text, blocks }: Content): string {
  return checkContent(new CallArgs({ text, blocks })).shown;
}
