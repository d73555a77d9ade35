import { parseMarkdown } from "@talaria/markdown";
import { htmlToText } from "../../packages/adapters/email/src/html-text.ts";
import { stripHistory } from "../../packages/adapters/email/src/strip-history.ts";
import { toMarkdown } from "../../packages/adapters/slack/src/mrkdwn.ts";
import { parseBody } from "../../packages/adapters/webhook/src/parse-body.ts";
import { hasKeyword } from "../../packages/sessions/src/addressing.ts";
import type { Figure } from "./main.ts";

const length = 2 ** 16;

type Reader = readonly [name: string, read: (text: string) => unknown, pieces: readonly string[]];

/** Everything that reads what strangers write, and pieces whose repetition is built to be slow. */
const readers: readonly Reader[] = [
  ["webhook bodies", readBody, ['"a":0,', "{},", "[],", "0,", "[", '\\"', '"', "\\"]],
  ["markdown", parseMarkdown, ["*a _b **c ~~d ", "[a](b [c ![", "`a ``b ```c ", "> - *a* ", "<!-- ", "| a |\n| - |\n"]],
  ["HTML of mails", htmlToText, ["<", "<div>", "x='", "<!--", '<a href="https://a.test">x</a>', "<p>x</p>"]],
  ["quotes in mails", stripHistory, ["On ", "On a\n", "> ", "From: x\n"]],
  [
    "Slack's mrkdwn",
    (text) => toMarkdown(text, { user: () => undefined }),
    ["*", "~ ~a", "<", "<@", "`", "``` ", "*a "],
  ],
  ["keywords", (text) => hasKeyword(text, [`${"a".repeat(39)}b`]), ["a", "a "]],
];

/**
 * How the cost of hostile text grows: processor time of a text of 128 Ki characters over that of one half as long. 2 is
 * linear, 4 is quadratic.
 */
export function hostile(): Promise<readonly Figure[]> {
  const figures = readers.map(([name, read, pieces]) => {
    const ratios = pieces.map((piece) => {
      const half = piece.repeat(Math.ceil(length / piece.length));
      return { piece, ratio: costMs(() => read(half + half)) / costMs(() => read(half)) };
    });
    const worst = ratios.reduce((left, right) => (left.ratio > right.ratio ? left : right));
    const value = `${worst.ratio.toFixed(1)} times at ${JSON.stringify(worst.piece)}`;
    return { measure: `twice the hostile text costs, ${name}`, reach: "below 3 times", value };
  });
  return Promise.resolve(figures);
}

function readBody(text: string): void {
  try {
    parseBody(new TextEncoder().encode(text), new Headers({ "content-type": "application/json" }));
  } catch {
    // Refusing is what it is for.
  }
}

/** The cheapest of several runs: neighbours on the same machine make single ones dearer. */
function costMs(work: () => unknown): number {
  const costs = Array.from({ length: 7 }, () => {
    const start = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.max(0.5, Math.min(...costs));
}
