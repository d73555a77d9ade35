import { contentNames, knownUpdates, type TelegramUpdate } from "./update.ts";

/**
 * What an update brought of the kinds we ask for that `readUpdate` could not read: `message`, `message.photo`,
 * `callback_query.message`. All names are ours. Pure.
 */
export function unreadableIn(raw: unknown, update: TelegramUpdate): readonly string[] {
  const given = fieldsOf(raw);
  return knownUpdates.flatMap((kind) => {
    if (!isThere(given[kind])) return [];
    const read = update[kind];
    if (read === undefined) return [kind];
    const names = kind === "callback_query" ? pressNames : isWritten(kind) ? contentNames : [];
    const parts = fieldsOf(given[kind]);
    const known = fieldsOf(read);
    return names.filter((name) => isThere(parts[name]) && !isThere(known[name])).map((name) => `${kind}.${name}`);
  });
}

const pressNames = ["message", "data", "from"] as const;

function isWritten(kind: (typeof knownUpdates)[number]): boolean {
  return kind === "message" || kind === "edited_message" || kind === "guest_message";
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}
