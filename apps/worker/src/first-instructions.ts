import { instructionFiles, instructionsBlock, instructionsIntroduction, mostInstructionBytes } from "@talaria/agent";
import type { TalariaConfig } from "@talaria/config";
import type { Clock, Log, SessionKey } from "@talaria/protocol";

/** A first message waits no longer for them. */
const longestMs = 500;

export interface FirstInstructionsOptions {
  readonly config: Pick<TalariaConfig, "agent" | "sandbox">;
  /** Workspaces lie in it, unless the configuration names another one. */
  readonly workspaceFolder: string;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Log;
}

/**
 * What the workspace's own folder says to agents, as a part of the prompt; empty where it says nothing. Looked for where it costs next
 * to nothing: on this machine, without opening the workspace. Elsewhere it comes with the first result that touches the folder.
 */
export function createFirstInstructions({
  config: { agent, sandbox },
  workspaceFolder,
  clock,
  log,
}: FirstInstructionsOptions): (sessionKey: SessionKey) => Promise<string> {
  const isHere = ["sandbox", "docker", "local"].includes(sandbox.backend);
  if (!agent.workspaceInstructions || !isHere) return async () => "";
  const base = sandbox.folder ?? workspaceFolder;
  const read = async (sessionKey: SessionKey) => {
    const { readHostFile } = await import("@talaria/sandbox");
    const found = await readHostFile(base, sessionKey, instructionFiles, mostInstructionBytes);
    const block = found && instructionsBlock({ path: found.name, bytes: found.bytes, size: found.size });
    return block === undefined ? "" : `# Files of the workspace\n\n${instructionsIntroduction}\n\n${block}`;
  };
  return async (sessionKey) => {
    const waiting = new AbortController();
    const tooLong = clock.sleep(longestMs, waiting.signal).then(
      () => "",
      () => "",
    );
    try {
      return await Promise.race([read(sessionKey), tooLong]);
    } catch (error) {
      log.warn({ sessionKey, error }, "what the workspace says to agents could not be read");
      return "";
    } finally {
      waiting.abort();
    }
  };
}
