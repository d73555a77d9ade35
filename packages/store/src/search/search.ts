import {
  type AccountId,
  type ConversationId,
  type Instant,
  instantOf,
  type SearchAsker,
  type UserId,
} from "@talaria/protocol";
import {
  bestLines,
  bestSittings,
  dropAlike,
  type FoundLine,
  type ParsedQuery,
  parseQuery,
  rankLines,
  type ScoredLine,
  wordsOf,
} from "@talaria/search";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { SaidLine, SearchFound, SearchHit, SearchQuery, SearchStore } from "../ports/search.ts";
import { readLines } from "./read-lines.ts";

/** Lines of which the words are counted. */
const mostFound = 800;
/** Direct conversations of one person that are searched: the last used ones. */
const mostPlaces = 50;
/** Lines are shown, as far as they may be, so many at a time until there are enough; after the last of these rounds there are no more. */
const shownAtOnce = 30;
const mostRounds = 10;
const most = { hits: 20, chars: 2_000, charsBeside: 300 };

interface LineKey {
  readonly isOurs: boolean;
  readonly lineId: string;
  readonly accountId: AccountId;
}

interface Place {
  readonly accountId: AccountId;
  readonly conversationId: ConversationId;
}

interface Counted extends LineKey, Place {
  readonly at: number;
  readonly times: readonly number[];
  readonly length: number;
}

interface Found {
  readonly messages: number;
  readonly meanLength: number;
  readonly words: readonly { readonly forms: number; readonly found: number }[];
  readonly lines:
    | readonly (readonly [
        place: number,
        isOurs: boolean,
        lineId: string,
        at: number,
        length: number,
        times: readonly number[],
      ])[]
    | null;
}

interface FindCall {
  readonly places: readonly Place[];
  readonly words: readonly { readonly word: string; readonly isStemmed: boolean }[];
  readonly all: readonly string[];
  readonly most: number;
  readonly language?: string;
  readonly since?: string;
  readonly until?: string;
  readonly isOurs?: boolean;
  readonly userId?: string;
  readonly name?: string;
}

interface Beside {
  readonly before: readonly LineKey[] | null;
  readonly after: readonly LineKey[] | null;
}

interface Scope {
  readonly kind: "direct" | "group";
  readonly places: readonly Place[];
  readonly userId: UserId;
  readonly threadId?: string;
}

interface Shown extends LineKey, Place {
  readonly at: number;
  readonly markdown: string;
  readonly displayName: string | null;
  readonly userId: UserId | null;
}

const findLines = sqlLoneFunction<FindCall, Found>("find_lines");
const linesBeside = sqlLoneFunction<{ readonly lines: readonly LineKey[] }, readonly Beside[] | null>("lines_beside");
const showLines = sqlLoneFunction<
  Scope & { readonly lines: readonly LineKey[]; readonly chars: number },
  readonly Shown[] | null
>("show_lines");
const placesOfPerson = sqlLoneFunction<
  { readonly accountId: AccountId; readonly userId: UserId; readonly most: number },
  readonly Place[] | null
>("places_of_person");

/** `searches` has a time limit of its own for each statement. */
export function createSearchStore(database: Database, searches: Database): SearchStore {
  const reads = {
    find: findLines(searches),
    beside: linesBeside(searches),
    show: showLines(searches),
    places: placesOfPerson(searches),
  };
  return {
    find: (query, asker) => search(query, asker, reads),
    catchUp: (signal) => readLines(database, () => signal.aborted),
  };
}

type Reads = {
  readonly find: ReturnType<typeof findLines>;
  readonly beside: ReturnType<typeof linesBeside>;
  readonly show: ReturnType<typeof showLines>;
  readonly places: ReturnType<typeof placesOfPerson>;
};

const nothing: SearchFound = { hits: [], sittings: [] };

async function search(query: SearchQuery, asker: SearchAsker, reads: Reads): Promise<SearchFound> {
  const parsed = parseQuery(query.text);
  const scope = await scopeOf(asker, reads);
  if (scope.places.length === 0 || parsed.words.length === 0) return nothing;
  const found = await reads.find(callOf(query, parsed, scope));
  const lines = new Map(linesOf(found, scope).map((line) => [keyOf(line), line]));
  const best = bestLines([...lines.values()].map(countedIn(found)), {
    messages: found.messages,
    meanLength: found.meanLength,
    having: found.words.map((word) => word.found),
  });
  const beside = await besideOf(
    best.flatMap(({ key }) => lines.get(key) ?? []),
    reads,
  );
  const { hits, shown } = await visibleHits(
    rankedKeys(best, beside, isFiltered(query, parsed)),
    query,
    parsed,
    scope,
    reads,
  );
  const unknown = best.filter(({ key }) => !shown.has(key)).map(({ key }) => lineOf(key));
  const [surrounded, others] = await Promise.all([
    withSurroundings(hits, scope, reads),
    unknown.length === 0 ? [] : reads.show({ ...scope, lines: unknown, chars: 0 }),
  ]);
  for (const line of others ?? []) shown.set(keyOf(line), true);
  return {
    hits: surrounded,
    sittings: bestSittings(best.filter(({ key }) => shown.get(key) === true)).map(({ place, from, until }) => ({
      conversationId: place as ConversationId,
      from: instantOf(from),
      until: instantOf(until),
    })),
  };
}

/** Whoever is in a group finds the group, and in private their own. */
async function scopeOf({ conversation, userId, hasPrivateThreads }: SearchAsker, reads: Reads): Promise<Scope> {
  const { accountId, conversationId, kind, threadId } = conversation;
  if (kind !== "direct") {
    const own = hasPrivateThreads ? { threadId: threadId ?? "" } : {};
    return { kind: "group", places: [{ accountId, conversationId }], userId, ...own };
  }
  return { kind: "direct", places: (await reads.places({ accountId, userId, most: mostPlaces })) ?? [], userId };
}

function callOf({ from, since, until }: SearchQuery, parsed: ParsedQuery, { places, userId }: Scope): FindCall {
  const name = parsed.from ?? (typeof from === "object" ? from.name : undefined);
  const [first, last] = [since ?? instantIn(parsed.after), until ?? instantIn(parsed.before)];
  const isBy = from === "agent" ? true : from === undefined && name === undefined ? undefined : false;
  return {
    places,
    words: parsed.words.map(({ word, isBeginning = false }) => ({ word, isStemmed: !isBeginning })),
    all: [...new Set(parsed.phrases.flat())],
    most: mostFound,
    ...(parsed.language !== undefined && { language: parsed.language }),
    ...(first !== undefined && { since: first }),
    ...(last !== undefined && { until: last }),
    ...(isBy !== undefined && { isOurs: isBy }),
    ...(from === "asker" && { userId }),
    ...(name !== undefined && { name }),
  };
}

function instantIn(date: string | undefined): Instant | undefined {
  return date === undefined ? undefined : instantOf(Date.parse(date));
}

function linesOf({ lines }: Found, { places }: Scope): readonly Counted[] {
  return (lines ?? []).flatMap(([n, isOurs, lineId, at, length, times]) => {
    const place = places[n];
    return place === undefined ? [] : [{ ...place, isOurs, lineId, at, length, times }];
  });
}

/** Of a word and its stems, the one that is there most often counts. */
function countedIn({ words }: Found): (line: Counted) => FoundLine {
  return (line) => {
    let next = 0;
    const times = words.map(({ forms }) => {
      const counts = line.times.slice(next, next + forms);
      next += forms;
      return Math.max(0, ...counts);
    });
    return { key: keyOf(line), place: line.conversationId, at: line.at, times, length: line.length };
  };
}

async function besideOf(lines: readonly LineKey[], reads: Reads): Promise<ReadonlyMap<string, Beside>> {
  if (lines.length === 0) return new Map();
  const found = (await reads.beside({ lines: lines.map(plainKey) })) ?? [];
  return new Map(lines.flatMap((line, n) => (found[n] === undefined ? [] : [[keyOf(line), found[n]]])));
}

function isFiltered({ from, since, until }: SearchQuery, parsed: ParsedQuery): boolean {
  return [from, since, until, parsed.from, parsed.after, parsed.before].some((filter) => filter !== undefined);
}

/** Lines beside those that were found are hits themselves, unless only those of somebody or of a time are wanted. */
function rankedKeys(
  best: readonly ScoredLine[],
  beside: ReadonlyMap<string, Beside>,
  isFiltered: boolean,
): readonly string[] {
  const near = new Map(
    [...beside].map(([key, { before, after }]) => {
      const at = (n: number) => [before?.[n], after?.[n]].flatMap((line) => (line === undefined ? [] : [keyOf(line)]));
      return [key, [at(0), at(1)]] as const;
    }),
  );
  const ranked = rankLines(best, near);
  const own = new Set(best.map(({ key }) => key));
  return isFiltered ? ranked.filter((key) => own.has(key)) : ranked;
}

/** `shown`: of each line that was looked at, whether it may be shown. */
async function visibleHits(
  keys: readonly string[],
  { limit, chars }: SearchQuery,
  { phrases }: ParsedQuery,
  scope: Scope,
  reads: Reads,
) {
  const wanted = Math.min(limit, most.hits);
  const shown = new Map<string, boolean>();
  let hits: readonly Shown[] = [];
  for (let n = 0; n < mostRounds && hits.length < wanted; n += 1) {
    const round = keys.slice(n * shownAtOnce, (n + 1) * shownAtOnce);
    if (round.length === 0) break;
    const lines = (await reads.show({ ...scope, lines: round.map(lineOf), chars: Math.min(chars, most.chars) })) ?? [];
    for (const key of round) shown.set(key, false);
    for (const line of lines) shown.set(keyOf(line), true);
    hits = dropAlike(
      [...hits, ...lines.filter((line) => phrases.every((phrase) => hasPhrase(line.markdown, phrase)))],
      ({ markdown }) => wordsOf(markdown),
    );
  }
  return { hits: hits.slice(0, wanted), shown };
}

function hasPhrase(markdown: string, phrase: readonly string[]): boolean {
  return ` ${wordsOf(markdown).join(" ")} `.includes(` ${phrase.join(" ")} `);
}

async function withSurroundings(hits: readonly Shown[], scope: Scope, reads: Reads): Promise<readonly SearchHit[]> {
  const beside = await besideOf(hits, reads);
  const near = [...beside.values()].flatMap(({ before, after }) => [...(before ?? []), ...(after ?? [])]);
  const keys = [...new Set(near.map(keyOf))].map(lineOf);
  const lines = keys.length === 0 ? [] : await reads.show({ ...scope, lines: keys, chars: most.charsBeside });
  const shown = new Map((lines ?? []).map((line) => [keyOf(line), toLine(line)]));
  const shownOf = (all: readonly LineKey[] | null = []) => (all ?? []).flatMap((line) => shown.get(keyOf(line)) ?? []);
  return hits.map((hit) => {
    const { before, after } = beside.get(keyOf(hit)) ?? { before: [], after: [] };
    return { ...toLine(hit), before: shownOf(before).toReversed(), after: shownOf(after) };
  });
}

function toLine({ lineId, accountId, conversationId, isOurs, displayName, userId, markdown, at }: Shown): SaidLine {
  return {
    ...{ id: lineId, accountId, conversationId, from: isOurs ? "agent" : "person", markdown, at: instantOf(at) },
    displayName: displayName ?? "",
    ...(userId === null ? {} : { userId }),
  };
}

function plainKey({ isOurs, lineId, accountId }: LineKey): LineKey {
  return { isOurs, lineId, accountId };
}

function keyOf(line: LineKey): string {
  return JSON.stringify([line.isOurs, line.lineId, line.accountId]);
}

function lineOf(key: string): LineKey {
  const [isOurs, lineId, accountId] = JSON.parse(key);
  return { isOurs, lineId, accountId };
}
