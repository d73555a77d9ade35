import { operatorPhrases } from "@talaria/sessions";
import { modelTroublesOf, type ProcessRow, type RecentEvent, type RecentQuery } from "@talaria/store";
import { withStore } from "../open-store.ts";
import { becameWords } from "./became-words.ts";
import { nameWords } from "./place-words.ts";
import { unheardWords } from "./unheard.ts";

type Options = Record<string, string | boolean | undefined>;

const mostLines = 200;

/** `talaria why [person | conversation]`: what became of the last messages to the agent, the newest last. */
export function why(options: Options, words?: string): Promise<void> {
  const either = words?.trim() ? { either: words.trim() } : {};
  return showRecent(options, { ...either, toUsOnly: words === undefined, limit: countOf(options.last ?? "10") });
}

/** `talaria trace --last N`: the same of everything that came, with the ids that `talaria trace` takes. */
export function lastEvents(options: Options): Promise<void> {
  const { person, conversation, last } = options;
  const query = {
    ...(typeof person === "string" && { person }),
    ...(typeof conversation === "string" && { conversation }),
    limit: countOf(last ?? "20"),
  };
  return showRecent(options, query, true);
}

function showRecent(options: Options, query: RecentQuery, withIds = false): Promise<void> {
  return withStore(options, async (store, loaded) => {
    const events = (await store.operations.recent(query)).toReversed();
    if (options.json === true) {
      console.log(JSON.stringify(events, null, 2));
      return;
    }
    if (events.length === 0) {
      console.log(await unheardWords(query, store, loaded));
      return;
    }
    const answeredAt = lastAnswer(events, await store.processes.list());
    for (const event of events) console.log(recentLine(event, withIds, answeredAt));
  });
}

/** `2026-11-26T14:40:00Z  Ada (42) in Team (-1005) on telegram-main: refused: ...`. */
export function recentLine(event: RecentEvent, withId = false, answeredAt?: string): string {
  const { accountId, conversationId, kind, title = "", senderId, senderName = "", recordedAt, eventId } = event;
  const isDirect = kind === "direct" || senderId === conversationId;
  const where = isDirect ? "" : ` in ${nameWords(title, conversationId)}`;
  const id = withId ? `  ${eventId.replace(/\p{C}/gu, " ")}` : "";
  return `${recordedAt.slice(0, 19)}Z${id}  ${nameWords(senderName, senderId)}${where} on ${accountId}: ${becameWords(event, answeredAt)}`;
}

/** When a model has answered last, of these events; undefined while one is in trouble, as far as workers say. */
function lastAnswer(events: readonly RecentEvent[], living: readonly ProcessRow[]): string | undefined {
  if (modelTroublesOf(living, operatorPhrases).length > 0) return undefined;
  return events
    .flatMap(({ became }) => (became.state === "ended" && became.outcome === "completed" ? [became.at] : []))
    .toSorted()
    .at(-1);
}

function countOf(given: string | boolean): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= mostLines) return count;
  throw new Error(`--last has to be a number from 1 to ${mostLines}`);
}
