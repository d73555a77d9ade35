import { access } from "node:fs/promises";
import type { TalariaConfig } from "@talaria/config";
import { chatGptProblem } from "@talaria/models";
import { systemClock } from "@talaria/protocol";
import { createStore, loadOrCreateKey } from "@talaria/store";
import type { Home } from "../home.ts";
import { findDatabase } from "../open-store.ts";
import { plainLog } from "../plain-log.ts";
import { chatGptEntries } from "./chatgpt-entry.ts";

/** A line for each model whose login is missing or has ended, with what mends it; or that nobody can tell now. */
export async function loginProblems(home: Home, config: TalariaConfig): Promise<readonly string[]> {
  const entries = chatGptEntries(config);
  if (entries.length === 0) return [];
  try {
    return await look(home, config, entries);
  } catch {
    const names = entries.map(({ name }) => `models.${name}`).join(", ");
    return [`${names}: logins can be looked at only while Talaria runs: start it, and check again`];
  }
}

async function look(home: Home, config: TalariaConfig, entries: ReturnType<typeof chatGptEntries>) {
  const url = await findDatabase({ home, config });
  const hasKey = await access(home.loginKeyFile).then(
    () => true,
    () => false,
  );
  const key = hasKey ? { loginKey: await loadOrCreateKey(home.loginKeyFile) } : {};
  const store = createStore({ url, log: plainLog, clock: systemClock, maxConnections: 1, ...key });
  try {
    const lines: string[] = [];
    for (const { name, ...entry } of entries) {
      const problem = await chatGptProblem(entry, { logins: store.modelLogins, clock: systemClock });
      if (problem !== undefined) lines.push(`models.${name}: ${problem}`);
    }
    return lines;
  } finally {
    await store.close();
  }
}
