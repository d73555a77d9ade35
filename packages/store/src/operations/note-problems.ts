import type { Database } from "../database/database.ts";
import { sqlFunction, sqlLoneFunction } from "../database/sql-function.ts";
import type { FailedMeanwhile, ProblemNews, ProblemStore, ToldProblem } from "../ports/problems.ts";

const againMs = 3_600_000;
const forgetMs = 86_400_000;

interface NoteCall {
  readonly problems: readonly ToldProblem[];
  readonly sound: Parameters<ProblemStore["note"]>[1];
  readonly againMs: number;
  readonly forgetMs: number;
}

const noteProblems = sqlLoneFunction<NoteCall, ProblemNews>("note_problems");

/** Conversations that are named to owners. */
const mostNamed = 5;

interface FailedCall {
  readonly key: string;
  readonly codes: readonly string[];
  readonly most: number;
}

const failedMeanwhile = sqlFunction<FailedCall, FailedMeanwhile>("failed_meanwhile");

export function createProblemStore(database: Database): ProblemStore {
  const note = noteProblems(database);
  const failed = failedMeanwhile(database);
  return {
    note: (problems, sound) => note({ problems, sound, againMs, forgetMs }),
    failedMeanwhile: (key, codes) => failed({ key, codes, most: mostNamed }),
    async hasAnsweredSince(instant) {
      const text = "select exists (select from turn where state = 'completed' and ended_at > $1::timestamptz) as found";
      const [row] = await database.query<{ readonly found: boolean }>({
        name: "answered_since",
        text,
        values: [instant],
      });
      return row?.found === true;
    },
  };
}
