import { hostname } from "node:os";
import { operatorPhrases } from "@talaria/sessions";
import { asPlanned, type Problem, type ProblemFacts, type ProcessRow, problemsOf } from "@talaria/store";
import { z } from "zod";

/** A gateway gives each of its own checks two seconds. */
const patienceMs = 5_000;

const answerSchema = z.object({
  failing: z.array(z.object({ name: z.string().max(40), detail: z.string().max(500).default("no reason given") })),
});

/** What an operator has to mend now: what the gateway of this machine says of itself, and what the database knows. */
export async function problemsNow(facts: ProblemFacts, url: () => Promise<string>): Promise<readonly Problem[]> {
  return [
    ...asPlanned(await unreadyParts(url, facts.living), facts.planned, operatorPhrases),
    ...problemsOf(facts, operatorPhrases),
  ];
}

/**
 * What the gateway of this machine says of the database and the queue at `/readyz`: it has tried to write, and this process has not.
 * Nothing where none lives here.
 */
export async function unreadyParts(
  url: () => Promise<string>,
  living: readonly Pick<ProcessRow, "kind" | "host">[],
  patience = patienceMs,
): Promise<readonly Problem[]> {
  if (!living.some(({ kind, host }) => kind === "gateway" && host === hostname())) return [];
  try {
    const answer = await fetch(`${await url()}/readyz`, { signal: AbortSignal.timeout(patience) });
    const { data } = answerSchema.safeParse(await answer.json());
    return (data?.failing ?? []).flatMap(toProblem);
  } catch {
    const line =
      "the gateway doesn't answer at /readyz: the log says why; `talaria start` begins it anew when it hangs";
    return [{ kind: "gateway", key: "gateway", code: "no_answer", line, stopsAnswers: true, graceMs: 0 }];
  }
}

/** Workers that are missing are seen in the list of processes. */
function toProblem({ name, detail }: { readonly name: string; readonly detail: string }): readonly Problem[] {
  if (name === "database") {
    const remedy = /disk/.test(detail)
      ? "free space there, and messages are taken again"
      : "check its server and its disk";
    return [problemOf(name, `the database takes no messages, ${detail}: ${remedy}`)];
  }
  if (name === "queue") return [problemOf(name, `the queue doesn't answer, ${detail}: check its server and REDIS_URL`)];
  return [];
}

function problemOf(kind: "database" | "queue", line: string): Problem {
  return { kind, key: kind, code: "unavailable", line, stopsAnswers: true, graceMs: 0 };
}
