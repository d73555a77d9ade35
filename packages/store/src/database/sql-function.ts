import { GatewayError } from "@talaria/protocol";
import { createBatch } from "./batch.ts";
import type { Database } from "./database.ts";
import { toJson } from "./json.ts";

/**
 * One of our SQL functions. They take JSON and answer JSON, in camelCase both ways. A call that is answered with
 * `{"conflict": true}` was refused: it has written nothing and throws `conflict`.
 */
export type SqlFunction<Call, Answer> = (database: Database) => (call: Call) => Promise<Answer>;

export interface CallOptions {
  /** Calls that share a statement, at most. */
  readonly maxCalls?: number;
  /** An SQL function of the whole batch that takes its locks, in one order, before the first call runs. */
  readonly lock?: string;
  /** What a refusal means. */
  readonly conflict?: string;
}

const lostSession = "somebody else holds the session now";

/**
 * A function that takes one call. Calls that overlap share a round trip and a transaction, ordered by session so that two
 * processes cannot deadlock.
 */
export function sqlFunction<Call, Answer>(name: string, options: CallOptions = {}): SqlFunction<Call, Answer> {
  const text = `select call.n::integer as n, ${name}(call.item) as answer
    from (select item, n from jsonb_array_elements($1::jsonb) with ordinality as given (item, n)
           order by (item ->> 'sessionKey') collate "C", n) as call${options.lock === undefined ? "" : `, ${options.lock}($1::jsonb)`}`;
  return batched(name, text, options);
}

/** A function that takes the calls of a batch as one array, and answers rows of `n`, counted from 1, and `answer`. */
export function sqlBatchFunction<Call, Answer>(name: string, options: CallOptions = {}): SqlFunction<Call, Answer> {
  return batched(name, `select n, answer from ${name}($1::jsonb)`, options);
}

/** A function whose calls never share a transaction, for example since it waits for a lock. */
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
    return async (call) => accepted<Answer>(await run(toJson(call)), conflict);
  };
}

function accepted<Answer>(answer: unknown, conflict: string): Answer {
  if (typeof answer === "object" && answer !== null && "conflict" in answer)
    throw new GatewayError(conflict, { code: "conflict" });
  return answer as Answer;
}
