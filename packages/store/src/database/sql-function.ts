import { GatewayError } from "@talaria/protocol";
import { createBatch } from "./batch.ts";
import type { Database } from "./database.ts";
import { toJson } from "./json.ts";

/**
 * Calls one of our SQL functions, which take and return JSON in camelCase. The answer `{"conflict": true}` means that
 * the call was refused and wrote nothing; it throws `conflict`.
 */
export type SqlFunction<Call, Answer> = (database: Database) => (call: Call) => Promise<Answer>;

export interface CallOptions {
  /** The most calls that share a statement. */
  readonly maxCalls?: number;
  /** An SQL function of the whole batch that takes its locks, in one order, before the first call runs. */
  readonly lock?: string;
  /** The message of the `conflict` error. */
  readonly conflict?: string;
}

/** How long a batch waits for a lock, and thus how long one locked session can delay the others. */
const lockTimeout = "250ms";
/** Applies to this statement only. The calls depend on it, so it is set before the first of them runs. */
const patience = `(select set_config('lock_timeout', '${lockTimeout}', true) as lock_timeout) as patience`;
const batch = "case when patience.lock_timeout is not null then $1::jsonb end";

const lostSession = "another worker holds the session now";

/**
 * A function that takes one call. Overlapping calls share a round trip and a transaction, sorted by session so that two
 * processes cannot deadlock. Calls for the same session keep their order; so do calls without a session for the same
 * conversation or account.
 */
export function sqlFunction<Call, Answer>(name: string, options: CallOptions = {}): SqlFunction<Call, Answer> {
  const text = `select call.n::integer as n, ${name}(call.item) as answer
    from ${patience},
         lateral (select item, n from jsonb_array_elements(${batch}) with ordinality as given (item, n)
                   order by (item ->> 'sessionKey') collate "C", n) as call${
                     options.lock === undefined ? "" : `, lateral ${options.lock}(${batch})`
                   }`;
  return batched(name, text, options);
}

/** A function that takes the calls of a batch as one array and returns rows of `n`, counted from 1, and `answer`. */
export function sqlBatchFunction<Call, Answer>(name: string, options: CallOptions = {}): SqlFunction<Call, Answer> {
  return batched(name, `select n, answer from ${patience}, lateral ${name}(${batch})`, options);
}

/** A function whose calls never share a transaction, for example because it waits for a lock. */
export function sqlLoneFunction<Call, Answer>(
  name: string,
  { conflict = lostSession }: CallOptions = {},
): SqlFunction<Call, Answer> {
  const text = `select ${name}($1::jsonb) as answer`;
  return (database) => async (call) => {
    const [row] = await database.query<{ answer: unknown }>({ name, text, values: [toJson(call)] });
    return accepted<Answer>(row?.answer, conflict);
  };
}

function batched<Call, Answer>(
  name: string,
  text: string,
  { maxCalls, conflict = lostSession }: CallOptions,
): SqlFunction<Call, Answer> {
  return (database) => {
    const run = createBatch(async (calls) => {
      const rows = await database.query<{ n: number; answer: unknown }>({
        name,
        text,
        values: [`[${calls.join(",")}]`],
      });
      const answers: unknown[] = calls.map(() => null);
      for (const { n, answer } of rows) answers[n - 1] = answer;
      return answers;
    }, maxCalls);
    return async (call) => accepted<Answer>(await run(keyOf(call), toJson(call)), conflict);
  };
}

/** Calls with the same key may lock the same rows. */
function keyOf(call: unknown): string {
  const { sessionKey, accountId, conversationId } = call as Readonly<Record<string, string | undefined>>;
  return sessionKey ?? `${accountId} ${conversationId}`;
}

function accepted<Answer>(answer: unknown, conflict: string): Answer {
  if (typeof answer === "object" && answer !== null && "conflict" in answer)
    throw new GatewayError(conflict, { code: "conflict" });
  return answer as Answer;
}
