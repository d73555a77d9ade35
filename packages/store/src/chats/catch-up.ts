import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";

/** Rows that one statement reads, which takes some tenths of a second where all of them are new. */
const pageRows = 1_000;

interface Page {
  readonly most: number;
  readonly old?: true;
}

interface EventsPlace {
  readonly at?: string;
  readonly place?: string;
}

interface TextsPlace {
  readonly id?: number;
}

const readEvents = sqlLoneFunction<EventsPlace & Page, Required<EventsPlace> | null>("catch_up_inbox");
const readTexts = sqlLoneFunction<TextsPlace & Page, Required<TextsPlace> | null>("catch_up_outbox");

/**
 * Brings lists and searches up to date with what came since there are lists, or with what was there before. Ends early when `isEnough`
 * says so, which is asked after each two statements; the next call goes on there. Resolves with whether all was read.
 */
export async function catchUp(database: Database, isEnough: () => boolean, old = false): Promise<boolean> {
  const [nextEvents, nextTexts] = [readEvents(database), readTexts(database)];
  const page: Page = { most: pageRows, ...(old ? { old } : {}) };
  let events: EventsPlace | null = {};
  let texts: TextsPlace | null = {};
  do {
    if (events !== null) events = await nextEvents({ ...events, ...page });
    if (texts !== null) texts = await nextTexts({ ...texts, ...page });
  } while ((events !== null || texts !== null) && !isEnough());
  return events === null && texts === null;
}
