import { type Choice, GatewayError } from "@talaria/protocol";
import { heaviestMessage, maxLabelLength, maxTextLength } from "./capabilities.ts";

/** Of a message, after Slack has made blocks of its own of a `markdown` block; buttons and a closing line are two more. */
const mostBlocks = 48;
/**
 * What a heading and a rule weigh beside their letters. Slack says of `msg_blocks_too_long` only "12,000 text characters with a buffer for
 * block containers" (github.com/slackapi/bolt-js/issues/2509); people measured some 100 and 125, with 13,200 as the limit of it all.
 */
const containerWeight = 125;

/**
 * What a `markdown` block weighs for Slack, of which a message takes 12,000: its letters, of which `&`, `<` and `>` are escaped, and
 * the blocks that are made of it: one for each heading, rule, table and block of code, and one for all that stands between two of them
 * (docs.slack.dev/reference/block-kit/blocks/markdown-block). Never less than its length. Counts rather too many blocks.
 */
export function weightOf(text: string): number {
  let made = 0;
  let heavy = 0;
  let last: Kind | undefined;
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    if (fence !== undefined) {
      if (isEnd(line, fence)) fence = undefined;
      continue;
    }
    fence = /^[ \t>]*(`{3,}|~{3,})/.exec(line)?.[1];
    const kind = fence === undefined ? kindOf(line) : "apart";
    if (kind !== "blank" && (kind === "heavy" || kind === "apart" || kind !== last)) made += 1;
    if (kind === "heavy") heavy += 1;
    if (kind !== "blank") last = kind;
  }
  const letters = escapedLength(text) + heavy * containerWeight;
  const share = made / mostBlocks;
  return share <= 0.5 ? letters : Math.max(letters, Math.ceil(share * maxTextLength));
}

/**
 * How long each label may be below a text of this weight. Throws `too_large` where shorter labels would say too little; below
 * half a message they lose next to nothing.
 */
export function labelLengthFor(choices: readonly Choice[], weight: number): number {
  const room = heaviestMessage - weight;
  if (labelsLength(choices) <= room) return maxLabelLength;
  const length = Math.floor(room / choices.length);
  if (weight <= maxTextLength / 2) return Math.min(maxLabelLength, length);
  const reason = "a text and the labels of its choices are longer than slack takes";
  throw new GatewayError(reason, { code: "too_large", details: { length: weight, maxLength: maxTextLength } });
}

/** Letters of all labels, as they are sent where there is room. */
export function labelsLength(choices: readonly Choice[]): number {
  return choices.reduce((sum, { label }) => sum + Math.min(label.length, maxLabelLength), 0);
}

type Kind = "blank" | "heavy" | "apart" | "table" | "words";

function kindOf(line: string): Kind {
  if (line.trim() === "") return "blank";
  if (/^ {0,3}(?:#{1,6}(?:\s|$)|([-*_])(?:[ \t]*\1){2,}[ \t]*$)/.test(line)) return "heavy";
  return line.startsWith("|") ? "table" : "words";
}

function isEnd(line: string, fence: string): boolean {
  const end = line.replace(/^[ \t>]*/, "").trimEnd();
  return end.startsWith(fence) && end.replaceAll(fence.charAt(0), "") === "";
}

function escapedLength(text: string): number {
  let length = text.length;
  for (const [sign] of text.matchAll(/[&<>]/g)) length += sign === "&" ? 4 : 3;
  return length;
}
