/** Reports one clear line, never a stack and never a secret, and makes the process end with 1. */
export function fail(error: unknown): void {
  console.error(`talaria: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
