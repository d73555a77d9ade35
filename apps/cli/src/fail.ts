import { wordsAt } from "./shell/working-words.ts";

/** Reports one clear line, never a stack and never a secret, and makes the process end with 1. */
export async function fail(error: unknown): Promise<void> {
  process.exitCode = 1;
  const line = `talaria: ${error instanceof Error ? error.message : String(error)}`;
  console.error(await wordsAt(process.stderr, line));
}
