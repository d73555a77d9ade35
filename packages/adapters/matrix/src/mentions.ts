import type { MessageContent } from "./content.ts";
import { userId } from "./wire.ts";

/** Who we are where a message was written. */
export interface OwnNames {
  readonly userId: string;
  readonly displayName: string;
}

/** Shorter names are ordinary words in too many texts. */
const minNameLength = 3;

/** How much of a text is searched for names and links. */
const maxSearched = 65_536;

/** At most as many as `m.mentions` may name. */
const maxMentions = 500;

/**
 * Ids of those whom a message means. `m.mentions` decides where it is there (specification, user and room mentions). Without it,
 * as from bridges and small scripts, links to people count, and our own name as a word of `body`, as the push rules from
 * before `m.mentions` had it.
 */
export function mentionsOf(said: MessageContent, body: string, self: OwnNames): readonly string[] {
  const mentioned = said["m.mentions"]?.user_ids;
  if (mentioned !== undefined) return [...new Set(mentioned)];
  const linked = linkedIn(said.formatted_body ?? "");
  return [...new Set([...linked, ...(isNamedIn(body, self) ? [self.userId] : [])])].slice(0, maxMentions);
}

/** A text that begins by naming us is said to us: the name is no part of it, so that commands are found. */
export function withoutAddress(body: string, self: OwnNames): string {
  const text = body.trimStart();
  const names = namesOf(self).flatMap((name) => [name, `@${name}`]);
  for (const name of [self.userId, ...names]) {
    const rest = text.slice(name.length);
    const isNamed = text.slice(0, name.length).toLowerCase() === name.toLowerCase();
    if (isNamed && /^([\s:,]|$)/.test(rest)) return rest.replace(/^[:,]?\s*/, "");
  }
  return body;
}

function namesOf({ userId: id, displayName }: OwnNames): readonly string[] {
  return [displayName, id.slice(1, id.indexOf(":"))].filter((name) => name !== "");
}

function isNamedIn(body: string, self: OwnNames): boolean {
  const names = namesOf(self).filter((name) => name.length >= minNameLength);
  if (names.length === 0) return false;
  const anyName = names.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|");
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${anyName})(?![\\p{L}\\p{N}_])`, "iu").test(body.slice(0, maxSearched));
}

function linkedIn(html: string): readonly string[] {
  const links = html.slice(0, maxSearched).matchAll(/href="https:\/\/matrix\.to\/#\/([^"?]{3,400})"/g);
  return [...links].map(([, id = ""]) => unescaped(id)).filter((id) => userId.safeParse(id).success);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
