import { fail } from "./fail.ts";

type Action = (options: Record<string, string | boolean | undefined>, ...rest: string[]) => Promise<void>;

/** Loads a command's code only when it is called: `talaria start` stays in memory all day. */
export function lazily(load: () => Promise<Action>) {
  return async (...args: unknown[]): Promise<void> => {
    const command = args.at(-1) as { optsWithGlobals(): Record<string, string | boolean | undefined> };
    const words = args.slice(0, -2) as string[];
    try {
      const action = await load();
      await action(command.optsWithGlobals(), ...words);
    } catch (error) {
      await fail(error);
    }
  };
}
