import { withStore } from "../open-store.ts";
import { rowLine, skillRows } from "../skills/skill-rows.ts";
import { factLine } from "./memory.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** `talaria learned`: what the agent has learnt, with its cause and the command that revokes it: the newest 200 facts, and its skills. */
export function learned(options: Options): Promise<void> {
  return withStore(options, async ({ facts, skills }, { home }) => {
    const [known, rows] = [await facts.list({ words: [] }), await skillRows(skills, home.skillDir)];
    const own = rows.filter(({ version }) => version !== undefined);
    if (options.json === true) return console.log(JSON.stringify({ facts: known, skills: own }, null, 2));
    const lines = [
      ...known.map((fact) => `${factLine(fact)}  talaria memory remove ${fact.id}`),
      ...own.map((row) => `skill ${rowLine(row)}  talaria skills remove ${row.name}`),
    ];
    for (const line of lines.length === 0 ? ["nothing was learnt"] : lines) console.log(line);
  });
}
