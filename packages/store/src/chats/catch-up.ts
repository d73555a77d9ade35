import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";

/** Rows that one statement reads, which takes some tenths of a second where all of them are new. */
const pageRows = 1_000;

interface EventsPage {
  readonly at?: string;
  readonly place?: string;
}

interface TextsPage {
  readonly id?: number;
}

const readEvents = sqlLoneFunction<EventsPage & { readonly most: number }, Required<EventsPage> | null>(
  "catch_up_inbox",
);
const readTexts = sqlLoneFunction<TextsPage & { readonly most: number }, Required<TextsPage> | null>("catch_up_outbox");

/**
 * Brings lists and searches up to date. Ends early when `isEnough` says so, which is asked before each statement but the first of both
 * kinds; the next call goes on there. Resolves with whether all was read.
 */
export async function catchUp(database: Database, isEnough: () => boolean): Promise<boolean> {
  const [nextEvents, nextTexts] = [readEvents(database), readTexts(database)];
  let events: EventsPage | null = {};
  let texts: TextsPage | null = {};
  do {
    if (events !== null) events = await nextEvents({ ...events, most: pageRows });
    if (texts !== null) texts = await nextTexts({ ...texts, most: pageRows });
  } while ((events !== null || texts !== null) && !isEnough());
  return events === null && texts === null;
}
