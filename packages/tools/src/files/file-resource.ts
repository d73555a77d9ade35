import type { Target } from "@talaria/protocol";
/**
 * What a call on this file touches. A file has many paths, relative and absolute; all of them but links end in its name, so the
 * name stands for it. Two files of one name then wait for each other, which costs nothing.
 */
export function fileResource(path: string): string {
  return `file:${path.split("/").findLast((part) => part !== "" && part !== ".") ?? ""}`;
}

/** What policy decides by. The workspace itself refuses every path that leads out of it. */
export function fileTarget(path: string): Target {
  return { kind: "path", path, isInWorkspace: true };
}
