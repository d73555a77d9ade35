import { cleanText } from "@talaria/adapter-kit";
import { toCommonMarkdown, visibleText } from "@talaria/markdown";
import type { Choice } from "@talaria/protocol";
import { labelLengthFor, weightOf } from "./message-size.ts";

/** What Slack would turn into a call to everybody, to a group or to somebody. */
const calls = /<(?=(?:[!@][A-Za-z0-9]))(?=!(?:channel|here|everyone|group|subteam\^|date\^)|@[UWB])/g;
/** Notifications show so much of a message. */
const longestNotice = 300;

/**
 * A text as a `markdown` block takes it: Slack reads standard Markdown there, without formulas and HTML. What would notify
 * people is disarmed, in code too, by a character that is not seen.
 */
export function toText(markdown: string): string {
  return toCommonMarkdown(cleanText(markdown)).replace(calls, "<\u200B").trimEnd();
}

/** What it takes of a message as it is sent, in UTF-16 units and what Slack counts beside them; 0 when nothing of it would be shown. */
export function measure(markdown: string): number {
  return visibleText(markdown) === "" ? 0 : weightOf(toText(markdown));
}

export type Block = Readonly<Record<string, unknown>>;

/** The blocks of a message; none for an empty text without choices. Throws `too_large` where text and labels are. */
export function toBlocks(text: string, choices: readonly Choice[] = []): readonly Block[] {
  const said = text === "" ? [] : [{ type: "markdown", text }];
  return [...said, ...toActions(choices, weightOf(text))];
}

/** More choices of a row than this are a menu. */
const mostButtons = 5;

/** A block of buttons, or of a menu, for each row below a text of this weight; none without choices. */
export function toActions(choices: readonly Choice[], weight: number): readonly Block[] {
  if (choices.length === 0) return [];
  const longest = labelLengthFor(choices, weight);
  return [...Map.groupBy(choices, ({ row }) => row).values()].map((some) => {
    const isMenu = some.length > mostButtons;
    return { type: "actions", elements: isMenu ? [toMenu(some, longest)] : some.map((one) => toButton(one, longest)) };
  });
}

/** What a notification says: the beginning, on one line, with Slack's own signs escaped. */
export function toNotice(text: string): string {
  const line = [
    ...text
      .slice(0, 2 * longestNotice)
      .replaceAll(/\s+/g, " ")
      .trim(),
  ]
    .slice(0, longestNotice)
    .join("");
  return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function toMenu(choices: readonly Choice[], longest: number): Block {
  const placeholder = { type: "plain_text", text: "Choose" };
  const options = choices.map((choice) => ({ text: labelOf(choice, longest), value: choice.id }));
  return { type: "static_select", action_id: "choice:", placeholder, options };
}

function toButton(choice: Choice, longest: number): Block {
  return { type: "button", action_id: `choice:${choice.id}`, value: choice.id, text: labelOf(choice, longest) };
}

function labelOf({ id, label }: Choice, longest: number) {
  const letters = [...label.replaceAll(/\s+/g, " ").trim()];
  let shown = letters.join("");
  while (shown.length > longest) {
    letters.pop();
    shown = `${letters.join("")}…`;
  }
  return { type: "plain_text", text: shown || id, emoji: true };
}
