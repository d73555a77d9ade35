import { createHash } from "node:crypto";

/** A thread's ids as far as a reply repeats them: the root, and the newest. */
const longestChain = 20;
const oneId = /<[^\s<>@\p{Cc}\p{Cs}]{1,200}@[^\s<>@\p{Cc}\p{Cs}]{1,200}>/gu;

/** Every Message-ID in a field, in order, with angle brackets. */
export function messageIdsIn(field: string): readonly string[] {
  return field.slice(0, 50_000).match(oneId) ?? [];
}

/** The one Message-ID of a field, or undefined when there is none, or more than one. */
export function messageIdOf(field: string): string | undefined {
  const ids = messageIdsIn(field);
  return ids.length === 1 && ids[0] === field.trim() ? ids[0] : undefined;
}

/** Names a mail that came without a usable Message-ID by what it is. */
export function inventedId(parts: readonly string[]): string {
  return `<${digest(parts.join("\n")).slice(0, 40)}@missing.invalid>`;
}

/** Whether a mail came under this id, so that an answer may name it. */
export function isRealId(id: string): boolean {
  return messageIdOf(id) === id && !id.endsWith("@missing.invalid>");
}

/** A chain of at most 20: whoever answers needs the root and the newest. */
export function shortChain(ids: readonly string[]): readonly string[] {
  const unique = [...new Set(ids)];
  return unique.length <= longestChain ? unique : [...unique.slice(0, 1), ...unique.slice(1 - longestChain)];
}

/** The id of a mail of ours: the same delivery key always gives the same. It tells which thread it belongs to. */
export function ownMessageId(
  key: { readonly accountId: string; readonly deliveryKey: string },
  root: string | undefined,
  domain: string,
): string {
  const name = digest(`${key.accountId}\n${key.deliveryKey}`).slice(0, 32);
  return `<talaria.${name}.${root === undefined ? "new" : threadTag(root)}@${domain}>`;
}

/** What an id of ours says about its thread: a tag, or `new` when the mail itself began it. Undefined for other ids. */
export function threadTagOf(id: string, domain: string): string | undefined {
  const [, tag, of] = /^<talaria\.[0-9a-f]{32}\.([0-9a-f]{16}|new)@(.+)>$/.exec(id) ?? [];
  return of === domain ? tag : undefined;
}

/** The thread's tag in an id of ours: a mail of ours that began a thread is its root. */
export function ownTagOf(id: string, domain: string): string | undefined {
  const tag = threadTagOf(id, domain);
  return tag === "new" ? threadTag(id) : tag;
}

export function threadTag(root: string): string {
  return digest(root).slice(0, 16);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
