import type { AccountRow } from "../ports/accounts.ts";
import type { Problem } from "../ports/problem.ts";

/** A secret file that the configuration names for a setting of an account. */
export interface AccountKeyFile {
  readonly key: string;
  readonly path: string;
  /** Absent: `talaria secret set` doesn't reach it. */
  readonly secret?: string;
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
export function accountProblems({ accounts, accountKeyFiles = {}, now }: AccountFacts): readonly Problem[] {
  return accounts.flatMap((account) => {
    const { accountId, platform, holder, connection } = account;
    // What a former holder has said of it is old news.
    if (holder === undefined) return [];
    const { status, hint, attempt } = connection;
    const code = String(connection.code ?? status);
    const problem = { kind: "account", key: `account:${accountId}`, code, stopsAnswers: true, graceMs: 0 } as const;
    const name = `account ${accountId} (${platform})`;
    const setup = `\`talaria setup ${platform} --account ${accountId}\``;
    const files = accountKeyFiles[accountId] ?? [];
    if (status === "needs-operator") {
      const words = typeof hint === "string" ? hint.replace(/\.$/, "") : undefined;
      return [{ ...problem, line: `${name} is refused, ${code}: ${refusedRemedy(code, words, files, setup)}` }];
    }
    if (status === "linking") {
      return [
        { ...problem, line: `${name} waits to be linked: \`talaria status\` shows the code, and so does the console` },
      ];
    }
    if (status === "reconnecting" && Number(attempt) >= manyAttempts) {
      const line = `${name} can't reach its platform, ${code}: it goes on trying; ${lostRemedy(code, accountId)}`;
      return [{ ...problem, line }];
    }
    return heldProblem(problem, { account, name, setup, files, now });
  });
}

interface Holding {
  readonly account: AccountRow;
  readonly name: string;
  readonly setup: string;
  readonly files: readonly AccountKeyFile[];
  readonly now: number;
}

/** Of a connection that stands, and delivers nothing. */
function heldProblem(
  problem: Omit<Problem, "line">,
  { account, name, setup, files, now }: Holding,
): readonly Problem[] {
  const { accountId, held } = account;
  if (held?.isOutage !== true || now - Date.parse(held.since) < longOutageMs) return [];
  const remedy =
    outageRemedies[held.code]?.(`accounts.${accountId}`, setup, files) ??
    "it goes on trying; look at the platform's status page and at the network";
  const trouble = held.code === "unauthorized" ? "is refused" : "can't deliver";
  const line = `${name} ${trouble}, ${held.reason ?? held.code}, since ${held.since.slice(0, 19)}Z: ${remedy}`;
  return [{ ...problem, code: held.code, since: held.since, line }];
}

function refusedRemedy(
  code: string,
  hint: string | undefined,
  files: readonly AccountKeyFile[],
  setup: string,
): string {
  const meant = files.filter(({ key }) => hint?.includes(`\`${key}\``));
  const places = placesOf(meant.length > 0 ? meant : files);
  if (code !== "unauthorized" || places === undefined) return `${hint === undefined ? "" : `${hint}; or `}run ${setup}`;
  return `${hint === undefined ? "" : `${hint}: `}put it ${places}; it is in use within seconds`;
}

/** `there with \`talaria secret set bot-token\``. A changed file is in use within seconds. */
function placesOf(files: readonly AccountKeyFile[]): string | undefined {
  if (files.length === 0) return undefined;
  const places = files.map(({ path, secret }) =>
    secret === undefined ? `into ${path}` : `there with \`talaria secret set ${secret}\``,
  );
  return places.join(" or ");
}

function lostRemedy(code: string, accountId: string): string {
  if (code === "internal") return "the log shows a mistake of Talaria, or an answer that it doesn't expect: report it";
  return `check the network, the platform's status page, and its address where accounts.${accountId} names one`;
}

type Remedy = (account: string, setup: string, files: readonly AccountKeyFile[]) => string;

/** Where it is not the platform's or the network's outage. */
const outageRemedies: Readonly<Record<string, Remedy>> = {
  unauthorized: (account, setup, files) => {
    const places = placesOf(files);
    if (places === undefined) return `put a working token or key where ${account} takes it from, or run ${setup}`;
    return `put a working token or key ${places}; it is in use within seconds`;
  },
  conflict: (_, setup, files) => {
    const places = placesOf(files);
    const own = places === undefined ? `with ${setup}` : `and put it ${places}`;
    return `another program uses its token: end that, or give it a token of its own ${own}`;
  },
};
