import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { ProblemNews, ProblemStore, ToldProblem } from "../ports/problems.ts";

const againMs = 3_600_000;
const forgetMs = 86_400_000;

interface NoteCall {
  readonly problems: readonly ToldProblem[];
  readonly sound: Parameters<ProblemStore["note"]>[1];
  readonly againMs: number;
  readonly forgetMs: number;
}

const noteProblems = sqlLoneFunction<NoteCall, ProblemNews>("note_problems");

export function createProblemStore(database: Database): ProblemStore {
  const note = noteProblems(database);
  return { note: (problems, sound) => note({ problems, sound, againMs, forgetMs }) };
}
