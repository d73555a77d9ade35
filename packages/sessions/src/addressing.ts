import type { AccountPolicy, InboundEvent, InboundMessage } from "@talaria/protocol";

/**
 * Whether a message in a group is for the agent. `mention`: it names the agent or answers one of its messages. `reply`: only
 * an answer to one of its messages counts, its name alone does not. `keyword`: as `mention`, or one of the keywords
 * stands in it as a whole word. `always`: every message.
 */
export function isAddressed(message: InboundMessage, event: InboundEvent, { groups }: AccountPolicy): boolean {
  if (event.conversation.kind === "direct") return true;
  switch (groups.activation) {
    case "mention":
      return message.mentionsSelf || message.repliesToSelf;
    case "reply":
      return message.repliesToSelf;
    case "keyword":
      return message.mentionsSelf || message.repliesToSelf || hasKeyword(message.markdown, groups.keywords);
    case "always":
      return true;
    default:
      return groups.activation satisfies never;
  }
}

/**
 * Control commands are obeyed wherever the agent is named: nobody else is meant by `/stop@agent`, nor by the number of a question of
 * ours, which people copy from it.
 */
export function mayCommand(message: InboundMessage, event: InboundEvent, policy: AccountPolicy): boolean {
  const isNamed = message.mentionsSelf || message.repliesToSelf || withQuestion.test(message.markdown);
  return isAddressed(message, event, policy) || isNamed;
}

const withQuestion = /^ *\/(?:approve|deny|answer)\s+[0-9a-f]{8}(?:\s|$)/i;

/** Whole words in any case; in scripts that put no spaces between words, anywhere. */
export function hasKeyword(text: string, keywords: readonly string[]): boolean {
  if (keywords.length === 0) return false;
  let pattern = patterns.get(keywords);
  if (pattern === undefined) {
    pattern = patternOf(keywords);
    patterns.set(keywords, pattern);
  }
  return pattern.test(text.normalize("NFKC"));
}

/** The lists of a configuration, which lives as long as the process. */
const patterns = new WeakMap<readonly string[], RegExp>();

const inWord = "[\\p{L}\\p{N}\\p{M}_]";
const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function patternOf(keywords: readonly string[]): RegExp {
  return new RegExp(keywords.map((keyword) => wordPattern(keyword.normalize("NFKC").trim())).join("|"), "iu");
}

function wordPattern(keyword: string): string {
  const characters = [...keyword];
  const [first = "", last = ""] = [characters[0], characters.at(-1)];
  const escaped = keyword.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&").replace(/\s+/g, "\\s+");
  const before = withoutSpaces.test(first) ? "" : `(?<!${inWord})`;
  const after = withoutSpaces.test(last) ? "" : `(?!${inWord})`;
  return `${before}${escaped}${after}`;
}
