import { parseAuthenticationResults } from "../../packages/adapters/email/src/authentication-results.ts";
import type { QuotedThread } from "../../packages/adapters/email/src/quoted-thread.ts";
import { stripHistory } from "../../packages/adapters/email/src/strip-history.ts";
import { toMarkdown } from "../../packages/adapters/slack/src/mrkdwn.ts";
import { parseBody } from "../../packages/adapters/webhook/src/parse-body.ts";
import { htmlToText } from "../../packages/foreign-content/src/html/html-text.ts";
import { parseMarkdown } from "../../packages/markdown/src/parse-markdown.ts";
import { hasKeyword } from "../../packages/sessions/src/addressing.ts";
import { hostileMail } from "./hostile-mail.ts";
import type { Figure } from "./main.ts";

const length = 2 ** 16;
/** A measurement goes on until it has cost so much, or for so many runs. */
const enoughMs = 100;
const maxRuns = 200;
/** Anything cheaper counts as this: the clock tells no less. */
const leastMs = 1;

const htmlPieces = [
  ...["<", "<a ", "<a x", "<p a b ", "<div>", "x='", "<!--", '<a href="https://a.test">x</a>', "<p>x</p>", "<br>x"],
  ...["<blockquote>", "</b>", "&amp;", "<b style='/*", "<svg>", "<title>"],
];

const quotePieces = [
  ...["On ", "On a\n", "> ", "From: x\n", "On a wrote:\n> b\nc\n", "Sent from my x\n", "-- \n", "-----a\n", "a:\n"],
  ...["> a: b@c.d\n", "1 ", "2026:\n", "<a@b.c>:\n", "2026 10:00 <a@b.c>\n", "Ab ", "__________\n", "\u200b", "("],
];
const thread: QuotedThread = { subject: "Re: x", isAnswer: true, isOurs: true, address: "gw@mail.test" };

type Reader = readonly [name: string, read: (text: string) => unknown, pieces: readonly string[]];

/** Everything that reads what strangers write, and pieces whose repetition is built to be slow. */
const readers: readonly Reader[] = [
  ["webhook bodies", readBody, ['"a":0,', "{},", "[],", "0,", "[", '\\"', '"', "\\"]],
  ["markdown", parseMarkdown, ["*a _b **c ~~d ", "[a](b [c ![", "`a ``b ```c ", "> - *a* ", "<!-- ", "| a |\n| - |\n"]],
  ["HTML of mails", htmlToText, htmlPieces],
  ["quotes in mails", (text) => stripHistory(text, thread), quotePieces],
  ["results in headers of mails", parseAuthenticationResults, [" ", "=", "a=", ";", '"', '"a"', "(", "()", "\\"]],
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
export async function hostile(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, read, pieces] of readers) {
    const ratios: { readonly piece: string; readonly ratio: number }[] = [];
    for (const piece of pieces) {
      const half = piece.repeat(Math.ceil(length / piece.length));
      const whole = await costMs(() => read(half + half));
      ratios.push({ piece, ratio: whole / (await costMs(() => read(half))) });
    }
    const worst = ratios.reduce((left, right) => (left.ratio > right.ratio ? left : right));
    const value = `${worst.ratio.toFixed(1)} times at ${JSON.stringify(worst.piece)}`;
    figures.push({ measure: `twice the hostile text costs, ${name}`, reach: "below 3 times", value });
  }
  return [...figures, ...(await hostileMail())];
}

function readBody(text: string): void {
  try {
    parseBody(new TextEncoder().encode(text), new Headers({ "content-type": "application/json" }));
  } catch {
    // Refusing is what it is for.
  }
}

/** Processor time of one run, the mean of as many as the coarse clock of the processor's time needs. */
async function costMs(work: () => unknown): Promise<number> {
  await work();
  const start = process.threadCpuUsage();
  for (let runs = 1; ; runs += 1) {
    await work();
    const { user, system } = process.threadCpuUsage(start);
    const spentMs = (user + system) / 1_000;
    if (spentMs >= enoughMs || runs >= maxRuns) return Math.max(leastMs, spentMs / runs);
  }
}
