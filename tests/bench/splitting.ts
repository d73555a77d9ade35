import { setImmediate as turn } from "node:timers/promises";
import { cooperatively, type Measure, Ruler, type Steps, tailThatFits, takeChunk } from "@talaria/markdown";
import { measure as discord } from "../../packages/adapters/discord/src/format.ts";
import { measure as matrix } from "../../packages/adapters/matrix/src/outbound.ts";
import { measure as slack } from "../../packages/adapters/slack/src/format.ts";
import { measure as telegram } from "../../packages/adapters/telegram/src/format.ts";
import { measure as whatsapp } from "../../packages/adapters/whatsapp/src/format/render.ts";
import type { Figure } from "./main.ts";
import { describeMs, quantile } from "./statistics.ts";

/** The longest message of each platform, in its own measure. */
const platforms: Readonly<Record<string, { readonly measure: Measure; readonly limit: number }>> = {
  telegram: { measure: telegram, limit: 4_096 },
  discord: { measure: discord, limit: 2_000 },
  slack: { measure: slack, limit: 12_000 },
  whatsapp: { measure: whatsapp, limit: 4_096 },
  matrix: { measure: matrix, limit: 24_000 },
  email: { measure: (markdown) => markdown.length, limit: 100_000 },
};

const lengths = [4, 40, 400].map((kibibytes) => kibibytes * 1024);

/** What answers are made of. Every piece is numbered, so that no two are equal. */
const ordinary: Readonly<Record<string, (n: number) => string>> = {
  prose: (n) =>
    `## Section ${n}\n\nHermes was the **herald** of the gods, see [${n}](https://example.org/${n}). ${"He wore winged sandals. ".repeat(20)}\n\n`,
  code: (n) => `An example:\n\n\`\`\`ts\n${`const value${n} = await read(key, { signal });\n`.repeat(40)}\`\`\`\n\n`,
  table: (n) => `| a | b |\n| - | - |\n${`| some words ${n} | \`code\` |\n`.repeat(60)}\n`,
  lists: (n) => `1. Item ${n} with **bold** words\n   - nested with \`code\`\n     - deeper, *stressed*\n`,
};
const hostile: Readonly<Record<string, (n: number) => string>> = {
  emphasis: (n) => `*a${n} _b **c ~~d `,
  brackets: (n) => `[a${n}](b [c ![`,
  backticks: (n) => `\`a${n} \`\`b \`\`\`c `,
  dense: (n) => `*a${n}* **b** _c_ [d](e) \`f\` &amp; ~~g~~ <b>h</b>\n\n`,
  nested: (n) => `> - *a${n}* [b](<c> \`d\n>   1. **e** ~~f~~\n\n`,
};

/** Chunks made of one text. */
const maxChunks = 20;

/** How long splitting and showing answers keeps the thread from other work, turn by turn. */
export async function splitting(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [kind, makers] of Object.entries({ ordinary, hostile })) {
    for (const [platform, { measure, limit }] of Object.entries(platforms)) {
      const split: number[] = [];
      const shown: number[] = [];
      for (const make of Object.values(makers)) {
        for (const length of lengths) {
          const text = answer(make, length);
          split.push(...(await splitTurns(text, new Ruler(measure, limit))));
          shown.push(...(await previewTurns(text, new Ruler(measure, limit))));
        }
      }
      figures.push({
        measure: `turn of splitting ${kind} answers, ${platform}`,
        reach: "p99 50 ms",
        value: `p99 ${quantile(split, 0.99).toFixed(1)} ms, ${describeMs(split)}`,
      });
      figures.push({
        measure: `turn of a preview of ${kind} answers, ${platform}`,
        reach: "p99 50 ms",
        value: `p99 ${quantile(shown, 0.99).toFixed(1)} ms, ${describeMs(shown)}`,
      });
    }
  }
  return figures;
}

async function splitTurns(text: string, ruler: Ruler): Promise<readonly number[]> {
  const turns: number[] = [];
  for (let rest = text, chunks = 0; rest.trim() !== "" && chunks < maxChunks; chunks += 1) {
    ({ rest } = await timed(takeChunk(rest, ruler), turns));
  }
  return turns;
}

/** As long as the longest reply that is previewed, in thirty steps. */
async function previewTurns(text: string, ruler: Ruler): Promise<readonly number[]> {
  const turns: number[] = [];
  const longest = Math.min(text.length, 64 * 1024);
  for (let n = 1; n <= 30; n += 1) {
    await timed(tailThatFits(text.slice(0, Math.ceil((longest * n) / 30)), ruler), turns);
  }
  return turns;
}

async function timed<Result>(steps: Steps<Result>, turns: number[]): Promise<Result> {
  let start = performance.now();
  const result = await cooperatively(steps, async () => {
    turns.push(performance.now() - start);
    await turn();
    start = performance.now();
  });
  turns.push(performance.now() - start);
  return result;
}

function answer(make: (n: number) => string, length: number): string {
  let text = "";
  for (let n = 0; text.length < length; n += 1) text += make(n);
  return text.slice(0, length);
}
