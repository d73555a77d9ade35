import { type CallSettings, needsWorkspace } from "./call-tool.ts";
import type { CheckedCall } from "./check-call.ts";
import { unmarkedText } from "./file-taint.ts";
import type { Inbox } from "./inbox.ts";
import type { ToolResultEntry } from "./journal.ts";
import type { KnownFile } from "./media.ts";
import { toolResult } from "./tool-result.ts";
import type { Workspace } from "./workspace.ts";

export type ReadyCall = Extract<CheckedCall, { status: "ready" }>;

/** What a call finds where it works. Without a workspace: its tool needs none, or there is none here. */
export interface OpenedFor {
  readonly workspace?: Workspace;
  /** A line for each file of people that can't be put there. */
  readonly missing: readonly string[];
}

export interface OpenSettings extends Pick<CallSettings, "files" | "log" | "signal"> {
  readonly openWorkspace?: () => Promise<Workspace>;
  readonly inbox: Inbox;
}

/**
 * Opens the workspace for a tool that says that it needs it, with the files that people sent, and marks what the call may write.
 * Never rejects: where that can't be done, the call does not run, and this is its result.
 */
export async function openFor(
  checked: ReadyCall,
  known: readonly KnownFile[],
  settings: OpenSettings,
): Promise<OpenedFor | ToolResultEntry> {
  const { tool, call } = checked;
  const { openWorkspace, inbox, files, log, signal } = settings;
  if (!needsWorkspace(tool) || openWorkspace === undefined) return { missing: [] };
  try {
    const workspace = await openWorkspace();
    const missing = await inbox.bring(workspace, known, signal);
    const unmarked = await files?.mark(checked).then(
      () => undefined,
      (error: unknown) => {
        log.warn({ tool: tool.name, error }, "what a call may write could not be marked");
        return unmarkedText;
      },
    );
    if (unmarked !== undefined) return { ...toolResult(call, unmarked, true), nothingCame: true };
    return { workspace, missing };
  } catch (error) {
    log.warn({ tool: tool.name, error }, "the workspace could not be opened");
    const message = error instanceof Error ? error.message : String(error);
    return toolResult(call, `Error: ${message}`, true);
  }
}
