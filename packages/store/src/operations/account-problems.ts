import type { AccountRow } from "../ports/accounts.ts";
import type { Problem } from "../ports/problem.ts";
import type { ProblemPhrases, SecretFile } from "../ports/problem-phrases.ts";
import { toSecond } from "./to-second.ts";

/** A secret file that the configuration names for a setting of an account. */
export interface AccountKeyFile extends SecretFile {
  readonly key: string;
}

export interface AccountFacts {
  readonly accounts: readonly AccountRow[];
  readonly accountKeyFiles?: Readonly<Record<string, readonly AccountKeyFile[]>>;
  readonly now: number;
}

/** A connection that failed so often in a row is a problem; before that, it is a hiccup. */
const manyAttempts = 5;
/** So is what could not be delivered for so long. */
const longOutageMs = 120_000;

/** What is wrong with accounts that a gateway holds. */
export function accountProblems(
  { accounts, accountKeyFiles = {}, now }: AccountFacts,
  phrases: ProblemPhrases,
): readonly Problem[] {
  return accounts.flatMap((account) => {
    const { accountId, platform, holder, connection } = account;
    // What a former holder has said of it is old news.
    if (holder === undefined) return [];
    const { status, hint, attempt } = connection;
    const code = String(connection.code ?? status);
    const problem = { kind: "account", key: `account:${accountId}`, code, stopsAnswers: true, graceMs: 0 } as const;
    const files = accountKeyFiles[accountId] ?? [];
    const trouble = { accountId, platform, code, files };
    if (status === "needs-operator") {
      const words = typeof hint === "string" ? hint.replace(/\.$/, "") : undefined;
      const meant = files.filter(({ key }) => words?.includes(`\`${key}\``));
      const places = meant.length > 0 ? meant : files;
      return [{ ...problem, line: phrases.accountRefused({ ...trouble, hint: words, files: places }) }];
    }
    if (status === "linking") return [{ ...problem, line: phrases.accountLinking(trouble) }];
    if (status === "reconnecting" && Number(attempt) >= manyAttempts)
      return [{ ...problem, line: phrases.accountLost(trouble) }];
    const { held } = account;
    // Of a connection that stands, and delivers nothing.
    if (held?.isOutage !== true || now - Date.parse(held.since) < longOutageMs) return [];
    const holding = { ...trouble, code: held.code, reason: held.reason, since: toSecond(held.since) };
    return [{ ...problem, code: held.code, since: held.since, line: phrases.accountHeld(holding) }];
  });
}
