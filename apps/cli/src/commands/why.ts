import { operatorPhrases } from "@talaria/sessions";
import { modelTroublesOf, type ProcessRow, type RecentEvent, type RecentQuery, type Store } from "@talaria/store";
import type { LoadedHome } from "../load-home.ts";
import { withStore } from "../open-store.ts";
import { becameWords, type Since } from "./became-words.ts";
import { countersNow } from "./counters-now.ts";
import { knownPeople } from "./people.ts";
import { nameWords } from "./place-words.ts";
import { unheardWords } from "./unheard.ts";

type Options = Record<string, string | boolean | undefined>;

const mostLines = 200;
/** Of what was spent, the fullest first. */
const mostCounters = 20;

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
    const sinceOf = await readSince(events, store, loaded);
    for (const event of events) console.log(recentLine(event, withIds, sinceOf(event)));
  });
}

/** `2026-11-26T14:40:00Z  "Ada" (42) in "Team" (-1005) on telegram-main: refused: ...`. */
export function recentLine(event: RecentEvent, withId = false, since?: Since): string {
  const { accountId, conversationId, kind, title = "", senderId, senderName = "", recordedAt, eventId } = event;
  const isDirect = kind === "direct" || senderId === conversationId;
  const where = isDirect ? "" : ` in ${nameWords(title, conversationId)}`;
  const id = withId ? `  ${eventId.replace(/\p{C}/gu, " ")}` : "";
  return `${recordedAt.slice(0, 19)}Z${id}  ${nameWords(senderName, senderId)}${where} on ${accountId}: ${becameWords(event, since)}`;
}

/** What has changed since these events came. */
async function readSince(
  events: readonly RecentEvent[],
  { processes, pairing, operations }: Store,
  loaded: LoadedHome,
): Promise<(event: RecentEvent) => Since> {
  const [living, people, spent] = await Promise.all([
    processes.list(),
    knownPeople(pairing, loaded),
    operations.spending(mostCounters),
  ]);
  const answeredAt = lastAnswer(events, living);
  const inside = new Set(
    people.flatMap(({ role, accountId, userId }) => (role === "none" ? [] : `${accountId}/${userId}`)),
  );
  const isNoLimitReached = !(await countersNow(spent, pairing, loaded.config)).some(({ isReached }) => isReached);
  return ({ accountId, senderId }) => ({
    ...(answeredAt !== undefined && { answeredAt }),
    isIn: inside.has(`${accountId}/${senderId}`),
    isNoLimitReached,
  });
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
