import type { Workspace } from "@talaria/agent";
import { options } from "../conformance.ts";
import type { Escape } from "./escape.ts";
import { canary, type Outside, secret } from "./outside.ts";

export interface Attempted {
  readonly attempt: Escape;
  /** What the command itself takes it to be: `THROUGH`, `REFUSED`, `LACKS` and what it would have needed, or how else it ended. */
  readonly said: string;
  /** What is different outside since, and what of the outside stands in its output. Empty: nobody there has noticed anything. */
  readonly harm: readonly string[];
}

/** One after the other, since what is different outside afterwards is laid to the one that was made. */
export async function attemptAll(
  workspace: Workspace,
  outside: Outside,
  all: readonly Escape[],
): Promise<readonly Attempted[]> {
  const attempted: Attempted[] = [];
  let before = await outside.look();
  for (const attempt of all) {
    const { output, end } = await workspace.exec({ command: commandOf(attempt) }, options);
    const after = await outside.look();
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    const found = [secret, canary.value]
      .filter((value) => output.includes(value))
      .map(() => "its output has the canary");
    const said = /\n?<<(.*)>>\n$/.exec(output)?.[1] ?? `${JSON.stringify(end)} ${output.slice(-200)}`;
    attempted.push({ attempt, said, harm: [...found, ...changed] });
    before = after;
  }
  return attempted;
}

function commandOf({ command, needs = [] }: Escape): string {
  const needed = needs.map((program) => `command -v ${program} >/dev/null || lacking=${program};`);
  return `PATH=$PATH:/usr/sbin:/sbin; lacking=; ${needed.join(" ")} if [ -n "$lacking" ]; then echo "<<LACKS $lacking>>"; elif (${command}) 2>/dev/null; then echo "
<<THROUGH>>"; else echo "
<<REFUSED>>"; fi`;
}
