import { type AskedCall, Inbox, type KnownFile, type MarkedCalls, openFor } from "@talaria/agent";
import type { Caller } from "@talaria/mcp";
import type { Log, SessionKey } from "@talaria/protocol";
import type { FileTaintStore } from "@talaria/store";
import type { CommandReach } from "./authorise.ts";
import { createFileTaint } from "./file-taint.ts";
import type { Workspaces } from "./workspaces.ts";

export interface CallerFilesDeps {
  /** Of nobody but this caller, in this process alone. */
  readonly workspace: SessionKey;
  readonly workspaces: Pick<Workspaces, "open">;
  readonly store: Pick<FileTaintStore, "ofCaller" | "markOfCaller">;
  /** As `AuthoriseOptions`. */
  readonly commands: CommandReach | undefined;
  readonly log: Log;
}

/** What a call means as of now. */
type AskedOf = (one: Pick<AskedCall, "tool" | "call" | "input">) => AskedCall;

/**
 * The workspace of a caller over MCP: what tools have kept for it lies in its inbox before a call works there, and files that may hold
 * words of strangers are marked as in conversations, so that they count for whoever reads them later, in another process too.
 */
export function callerFiles(
  { workspace: sessionKey, workspaces, store, commands, log }: CallerFilesDeps,
  asked: AskedOf,
): {
  open(known: readonly KnownFile[], media: Caller["context"]["media"]): NonNullable<Caller["open"]>;
  readonly files: MarkedCalls;
} {
  let folder = "/";
  let last: Promise<unknown> = Promise.resolve();
  const openWorkspace = async () => {
    const workspace = await workspaces.open(sessionKey);
    folder = workspace.folder;
    return workspace;
  };
  const taint = createFileTaint({
    ...{ sessionKey, commands, folder: () => folder },
    patiently: (work) => work(false),
    of: async () => {
      const kept = await store.ofCaller(sessionKey);
      if (kept !== undefined) return kept;
      // What an older release left there, which kept no marks, may be anybody's.
      const found = await (await openWorkspace()).list(".", 1);
      const marks = found.length === 0 ? [] : "all";
      await store.markOfCaller(sessionKey, marks);
      return marks;
    },
    keep: (files) => store.markOfCaller(sessionKey, files),
  });
  const files: MarkedCalls = {
    mark: (one) => taint.mark(asked(one), false),
    brings: (one) => taint.brings(one),
    markPath: (path) => taint.markPath(path),
  };
  return {
    files,
    open: (known, media) => (ready, signal) => {
      // One after the other: each may find that a file is missing, and put it there.
      const inbox = new Inbox({ media, files, log });
      const opened = last.then(() => openFor(ready, known, { openWorkspace, inbox, files, log, signal }));
      last = opened;
      return opened;
    },
  };
}
