import type { Did } from "@talaria/agent";
import { type CallKind, changesSomething, type Plan } from "./plan.ts";

/** The result of a call that has run. */
export function didText(name: string, { window }: Pick<Plan, "window"> = {}): string {
  return `did ${name}${" and more".repeat((window?.resultChars ?? 0) / 9)}`;
}

/** Some files are read and changed again and again; whoever changes something notes how far the work is. */
export function didOf(kind: CallKind, name: string): readonly Did[] {
  const path = `files/${name.slice(-2)}`;
  if (kind === "read") return [{ kind: "read", path, digest: `read-${name}` }];
  if (!changesSomething(kind)) return [];
  return [
    { kind: "changed", path, digest: `changed-${name}` },
    { kind: "planned", plan: `1. what comes before (done)\n2. ${name} (done)\n3. what is left` },
  ];
}
