import type { Adapter } from "@talaria/adapter";
import { cooperatively, Ruler, takeChunk } from "@talaria/markdown";
import { brandAs, type Choice, type DeliveryKey, type OutboundMessage } from "@talaria/protocol";
import type { OutboxPart, OutboxRow } from "@talaria/store";
import { attachedTo, notSent } from "./attached.ts";
import { type Said, saidIn } from "./row-words.ts";

type Pause = () => Promise<void>;

/** Measures texts for an adapter's messages of at most `limit`. */
export function rulerFor(adapter: Adapter, limit: number): Ruler {
  return new Ruler((markdown) => adapter.measure?.(markdown) ?? markdown.length, limit);
}

/**
 * The messages a text becomes, at least one. Chunks of which the platform would show nothing (link definitions, blanks)
 * are left out. Files follow the text, as many per message as the platform allows; the last chunk becomes the caption of the
 * first files where it fits, unless a preview shows it already, since a preview can't take files. Buttons go below the last
 * chunk. Awaits `pause` within and between chunks, so that other work gets its turn.
 */
export async function partsOf(
  row: OutboxRow,
  adapter: Adapter,
  isShown: boolean,
  pause: Pause,
): Promise<readonly OutboxPart[]> {
  const { capabilities } = adapter;
  const { nothingToShow } = saidIn(row);
  const { markdown, groups, choices } = attachedTo(row, capabilities);
  const texts = await shownChunksOf(markdown, rulerFor(adapter, capabilities.maxTextLength), pause);
  const [firstFiles, ...otherFiles] = groups;
  if (firstFiles === undefined) return withChoices(texts.length === 0 ? [nothingToShow] : texts, choices);
  const files = otherFiles.map((group) => partOf("", group));
  const caption = texts.at(-1);
  const mayCarry = !(isShown && texts.length === 1) && choices.length === 0;
  const captions = rulerFor(adapter, capabilities.send?.maxCaptionLength ?? 0);
  if (caption !== undefined && mayCarry && (await cooperatively(captions.share(caption), pause)) <= 1) {
    return [...texts.slice(0, -1).map((text) => partOf(text, [])), partOf(caption, firstFiles), ...files];
  }
  if (choices.length > 0 && texts.length === 0) texts.push(nothingToShow);
  return [...withChoices(texts, choices), partOf("", firstFiles), ...files];
}

function withChoices(texts: readonly string[], choices: readonly Choice[]): readonly OutboxPart[] {
  return texts.map((text, index) => {
    const part = partOf(text, []);
    return choices.length > 0 && index === texts.length - 1 ? { ...part, choices } : part;
  });
}

/**
 * The same part as several of at most half its length, after the platform found it too large. If the part has files,
 * those were too large: a line takes their place.
 */
export async function smallerParts(
  part: OutboxPart,
  said: Said,
  adapter: Adapter,
  pause: Pause,
): Promise<readonly OutboxPart[]> {
  if (part.attachments.length > 0) return withoutFiles(part, said.tooLarge, said);
  const { maxTextLength } = adapter.capabilities;
  const length = adapter.measure?.(part.markdown) ?? part.markdown.length;
  const half = Math.max(1, Math.floor(Math.min(length, maxTextLength) / 2));
  const texts = await chunksOf(part.markdown, rulerFor(adapter, half), pause);
  return withChoices(texts, part.choices ?? []).map((smaller) => ({ ...smaller, error: "too_large" }));
}

/** The part's text by itself, and a line for each file that could not be sent with it. */
export function withoutFiles(part: OutboxPart, problem: string, said: Said): readonly OutboxPart[] {
  const lines = part.attachments.map((file) => notSent(file, problem, said)).join("\n\n");
  const texts = part.markdown === "" ? [lines] : [part.markdown, lines];
  return withChoices(texts, part.choices ?? []);
}

/** The key of part `index`, always the same. */
export function keyOfPart({ deliveryKey }: OutboxRow, index: number): DeliveryKey {
  return brandAs<DeliveryKey>(`${deliveryKey}#${index}`);
}

/** The message of part `index`. */
export function messageOf(row: OutboxRow, part: OutboxPart, index: number): OutboundMessage {
  return {
    deliveryKey: keyOfPart(row, index),
    conversation: row.conversation,
    markdown: part.markdown,
    attachments: part.attachments,
    ...(part.choices === undefined ? {} : { choices: part.choices }),
    ...(row.privateTo === undefined ? {} : { privateTo: row.privateTo }),
    ...(index === 0 && row.replyTo !== undefined ? { replyTo: row.replyTo } : {}),
  };
}

async function chunksOf(text: string, ruler: Ruler, pause: Pause): Promise<readonly string[]> {
  const chunks: string[] = [];
  for (let rest = text; rest.trim() !== ""; ) {
    const first = await cooperatively(takeChunk(rest, ruler), pause);
    chunks.push(first.chunk);
    rest = first.rest;
    if (rest !== "") await pause();
  }
  return chunks;
}

/** The chunks, without those of which the platform would show nothing. */
async function shownChunksOf(text: string, ruler: Ruler, pause: Pause): Promise<string[]> {
  const shown: string[] = [];
  for (const [index, chunk] of (await chunksOf(text, ruler, pause)).entries()) {
    if (index > 0) await pause();
    if ((await cooperatively(ruler.share(chunk), pause)) !== 0) shown.push(chunk);
  }
  return shown;
}

function partOf(markdown: string, attachments: OutboxPart["attachments"]): OutboxPart {
  return { markdown, attachments, state: "pending", attempts: 0, unknown: 0 };
}
