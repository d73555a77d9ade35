import { fail } from "./fail.ts";

type Action = (options: Record<string, string | boolean | undefined>, ...rest: string[]) => Promise<void>;

/** With which Node.js ends where something is awaited that never comes. */
const unsettled = 13;

/** Loads a command's code only when it is called: `talaria start` stays in memory all day. */
export function lazily(load: () => Promise<Action>) {
  return async (...args: unknown[]): Promise<void> => {
    const command = args.at(-1) as { optsWithGlobals(): Record<string, string | boolean | undefined> };
    const words = args.slice(0, -2) as string[];
    process.once("exit", tellUnsettled);
    try {
      const action = await load();
      await action(command.optsWithGlobals(), ...words);
    } catch (error) {
      await fail(error);
    }
    process.off("exit", tellUnsettled);
  };
}

/** Node.js ends when nothing is left that could go on, also with work that has not ended. */
function tellUnsettled(code: number): void {
  if (code === unsettled)
    console.error("talaria: this ended before it was done, a defect of Talaria: nothing of it counts");
}
