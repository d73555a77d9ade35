import type { CommandResult, ToolContext, ToolResult } from "@talaria/agent";
import { toldEnd } from "./process.ts";

export interface LetGo {
  readonly later: NonNullable<ToolResult["later"]>;
  /** For the model. */
  readonly note: string;
}

/** Tells later how a command ends that was let go, and ends it with its turn. Undefined: it was not. `result`: of the command. */
export function letGoOf(
  { end, goesOnAs, durationMs }: CommandResult,
  { workspace, tellLater, now }: ToolContext,
): LetGo | undefined {
  if (end.kind !== "let_go") return undefined;
  const process = workspace?.processes().find(({ id }) => id === goesOnAs);
  if (process === undefined || tellLater === undefined) return undefined;
  const { news, later } = toldEnd(process, now());
  tellLater({ ...news, stop: () => process.kill() });
  const seconds = (durationMs / 1_000).toFixed(1);
  const note =
    `[still running after ${seconds} s: somebody has written, so it goes on in the background as ${process.id}. Answer them now; you ` +
    "will be told when it ends, so don't poll. The tool process shows its output or kills it]";
  return { later, note };
}
