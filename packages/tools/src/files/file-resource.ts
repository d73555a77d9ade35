import type { Target } from "@talaria/protocol";

/**
 * What a call on this file touches. A file has many paths, relative and absolute; all of them but links end in its name, so the
 * name stands for it. Two files of one name then wait for each other, which costs nothing.
 */
export function fileResource(path: string): string {
  return `file:${path.split("/").findLast((part) => part !== "" && part !== ".") ?? ""}`;
}

/** A path is one of the workspace: it refuses every other, also behind a link. */
export function workspacePath(path: string): Target {
  return { kind: "path", path, isInWorkspace: true };
}
