import type { Target } from "@talaria/protocol";

/** What is run. Where it runs is not known here: the worker says what stands around it, and without its word it is the worst. */
export function commandTarget(command: string | readonly string[]): Target {
  return { kind: "command", command, isSandboxed: false, hasNetwork: true };
}
