import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { query } from "@talaria/postgres";
import { type AccountId, silentLog, systemClock } from "@talaria/protocol";
import { createStore, type Problem, type ProblemFacts, problemsOf, type Store } from "@talaria/store";
import { english } from "@talaria/words";
import { problemLines } from "../../../apps/cli/src/commands/status-lines.ts";
import { recentLine } from "../../../apps/cli/src/commands/why.ts";
import { readProblemFacts } from "../../../apps/gateway/src/current-problems.ts";
import { tellProblems } from "../../../apps/gateway/src/problem-watch.ts";
import type { Installation } from "../../support/installation.ts";
import { waitFor } from "../../support/wait-for.ts";
import { steady } from "./page.ts";

const office = "office";
const patienceMs = 120_000;

/**
 * Looks at a running installation from the sides of owners and operators: what its processes have written into its database, said in its web
 * chat, logged and counted. Looks after problems as a second gateway would, so that nobody has to wait for the next look.
 */
export class TroubleDesk implements AsyncDisposable {
  readonly #talaria: Installation;
  readonly #store: Store;
  #read = 0;

  constructor(talaria: Installation) {
    this.#talaria = talaria;
    const url = talaria.databaseUrl ?? "";
    this.#store = createStore({ url, log: silentLog, clock: systemClock, maxConnections: 2 });
  }

  async makeHome(): Promise<void> {
    await this.#talaria.say(office, "/sethome");
    const asksHere = /I'll ask you here/;
    await this.#talaria.waitForLine(office, asksHere, patienceMs);
    // The gateway tells what lasts by itself, from that moment.
    this.#read = (await this.#owners()).findIndex((markdown) => asksHere.test(markdown)) + 1;
  }

  async facts(laterMs = 0): Promise<ProblemFacts> {
    const facts = await readProblemFacts(this.#store, ["main"], systemClock);
    return { ...facts, now: facts.now + laterMs };
  }

  /**
   * The lines of `status` about one thing, once its code is this one and nobody is answered for it: a first failure may pass. Nothing waits
   * where no code is named.
   */
  async status(key: string, code?: string, laterMs = 0): Promise<string> {
    const lines = async () => {
      const found = problemsOf(await this.facts(laterMs), english.problemPhrases).filter(
        (problem) => problem.key === key,
      );
      const isMeant = (problem: Problem) => problem.code === code && problem.stopsAnswers;
      return code === undefined || found.some(isMeant) ? found : undefined;
    };
    const found = await waitFor(lines, `${key}: ${code ?? "nothing"}`, patienceMs);
    return said(problemLines(found));
  }

  /** What owners read of it, at home. `laterMs`: so much later. */
  async told(key: string, laterMs = 0): Promise<string> {
    const aged = `update talaria.problem set since = since - interval '${laterMs} milliseconds' where key = '${key}' and told_at is null`;
    await this.#look(laterMs);
    await query(this.#talaria.databaseUrl ?? "", aged);
    await this.#look(laterMs);
    return said(await this.#news());
  }

  /** What owners read of everything that lasts, at home, `laterMs` later. */
  async news(laterMs: number): Promise<readonly string[]> {
    await this.#look(laterMs);
    return await this.#news();
  }

  async why(either: string): Promise<string> {
    const [recent] = await this.#store.operations.recent({ either, limit: 1 });
    return recent === undefined ? "" : said([recentLine(recent).replace(/^.*? on [^:]*: /, "")]);
  }

  /** The metrics that have this code in a label, without what differs, once this one is among them: workers report now and then. */
  async metrics(label: string, least: string): Promise<string> {
    const found = async () => {
      const text = await (await this.#talaria.fetch("/metrics")).text();
      const names = text.split("\n").flatMap((line) => (line.includes(label) ? [line.replace(/\{.*/, "")] : []));
      return names.includes(least) ? [...new Set(names)].toSorted() : undefined;
    };
    const names = await waitFor(found, `${least} with ${label}`, patienceMs);
    return names.map((name) => `${name}{${label}}`).join(", ");
  }

  /** What an account's failed posts are counted by, or what its state is. */
  async accountMetric(does: string, accountId: string): Promise<string> {
    const name = does === "post" ? "talaria_delivery_failures_total" : "talaria_account_connection";
    const text = await (await this.#talaria.fetch("/metrics")).text();
    const lines = text.split("\n").filter((line) => line.startsWith(name) && line.includes(`account="${accountId}"`));
    const labels = lines.flatMap((line) => (line.endsWith(" 0") ? [] : (/(?:code|status)="[^"]*"/.exec(line) ?? [])));
    return labels.map((label) => `${name}{${label}}`).join(", ");
  }

  /** The sentences of the log that have this code, each once, with their levels. */
  async log(code: string, accountId?: string, without: readonly string[] = []): Promise<string> {
    const lines = (await readFile(join(this.#talaria.home, "logs", "talaria.log"), "utf8")).split("\n");
    const entries = lines.flatMap((line) => (line.includes(`"code":"${code}"`) ? [JSON.parse(line)] : []));
    const asked = entries.filter(
      ({ accountId: of, msg }) => (accountId === undefined || of === accountId) && !without.includes(msg),
    );
    const sentences = asked.map(({ level, msg }) => `\`${msg}\` (${level})`);
    return sentences.length === 0 ? "(nothing)" : [...new Set(sentences)].toSorted().join(", ");
  }

  async #look(laterMs: number): Promise<void> {
    const deliver = (_: AccountId) => undefined;
    const facts = () => this.facts(laterMs);
    const { problems, operations } = this.#store;
    await tellProblems({ facts, problems, named: operations.named, deliver, log: silentLog });
  }

  async #news(): Promise<readonly string[]> {
    const all = await this.#owners();
    const news = all.slice(this.#read);
    this.#read = all.length;
    return news;
  }

  async #owners(): Promise<readonly string[]> {
    return (await this.#talaria.history(office)).flatMap(({ from, markdown }) => (from === "agent" ? [markdown] : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store.close();
  }
}

/** Lines as the page shows them. */
export function said(lines: readonly string[]): string {
  const words = steady(lines.join(" "))
    .replaceAll(/\b\d+ requests? failed/g, "N requests failed")
    .replaceAll(/\b\d+ (?:ms|s|min)\b/g, "a while")
    .replaceAll("next try now", "next try in a while")
    .replaceAll(/ {2,}/g, " ");
  return words.trim() === "" ? "(nothing)" : words;
}
