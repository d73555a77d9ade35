import { cooperatively, Ruler, takeChunk } from "@talaria/markdown";
import type { Choice } from "@talaria/protocol";
import { escaped } from "./block-text.ts";
import { heaviestMessage } from "./capabilities.ts";
import { isRefusal } from "./errors.ts";
import { type Block, toActions, toNotice, toText } from "./format.ts";
import { labelsLength } from "./message-size.ts";
import { toMrkdwn } from "./mrkdwn-dialect.ts";
import { type Content, contentOf } from "./outbound.ts";

/**
 * Slack translates one `markdown` block into several of its own, and refuses the message where the outcome breaks a limit: 50
 * blocks, 100 rows and 20 columns of a table, once also one table in a message.
 */
const refusals = [
  "invalid_blocks",
  "invalid_blocks_format",
  "invalid_attachments",
  "msg_blocks_too_long",
  "only_one_table_allowed",
  "msg_too_long",
] as const;

/** Characters of one text: what `chat.update` takes, and what Slack advises for a post. One section takes fewer. */
const longestText = 4_000;
const longestSection = 3_000;

/** Whether Slack refused what a message says, and would take it in another form. */
export function isContentRefused(error: unknown): boolean {
  return isRefusal(error, ...refusals);
}

/**
 * Posts or changes a message. When Slack refuses its blocks, does so once more with the same words in Slack's own dialect. A refusal
 * had no effect, so nothing appears twice. Throws what the second try throws.
 */
export async function withoutRefusedBlocks<T>(
  markdown: string,
  choices: readonly Choice[] | undefined,
  post: (content: Content) => Promise<T>,
): Promise<T> {
  try {
    return await post(contentOf(markdown, choices));
  } catch (error) {
    if (!isContentRefused(error)) throw error;
    return post(await plainContentOf(markdown, choices));
  }
}

/** The words as one text; as sections where they are longer or have buttons. */
async function plainContentOf(markdown: string, choices: readonly Choice[] = []): Promise<Content> {
  const text = toMrkdwn(markdown) || "…";
  const rest = { unfurl_links: false, unfurl_media: false, parse: "none" } as const;
  if (choices.length === 0 && text.length <= longestText) return { text, blocks: [], ...rest };
  const sections = await fittingSections(markdown, labelsLength(choices));
  const blocks = [...sections.map(toSection), ...toActions(choices, lengthOf(sections))];
  return { text: toNotice(markdown) || "…", blocks, ...rest };
}

/** Laid out, a table may be many times as long as in Markdown: where Slack would not take that, people see the Markdown itself. */
async function fittingSections(markdown: string, labels: number): Promise<readonly string[]> {
  const sections = await sectionsOf(markdown, toMrkdwn);
  if (lengthOf(sections) + labels <= heaviestMessage) return sections;
  return sectionsOf(markdown, (piece) => escaped(toText(piece)));
}

/** A text cut on its Markdown, so that each section is whole on its own. Done at once: a text has at most 12,000 characters. */
async function sectionsOf(markdown: string, write: (piece: string) => string): Promise<readonly string[]> {
  const ruler = new Ruler((piece) => write(piece).length, longestSection);
  const sections: string[] = [];
  for (let rest = markdown; rest !== ""; ) {
    const first = await cooperatively(takeChunk(rest, ruler), async () => undefined);
    sections.push(write(first.chunk));
    rest = first.rest;
  }
  return sections.filter((section) => section !== "");
}

function lengthOf(sections: readonly string[]): number {
  return sections.reduce((sum, section) => sum + section.length, 0);
}

function toSection(text: string): Block {
  return { type: "section", text: { type: "mrkdwn", text } };
}
