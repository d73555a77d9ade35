import { posix } from "node:path";
import { type AskedCall, askersOf, type FileTaint, type Tool } from "@talaria/agent";
import { bringsContent, rightsOf } from "@talaria/policy";
import { type Role, rolesIn, type SessionKey } from "@talaria/protocol";
import type { MarkedFiles } from "@talaria/store";
import { type CommandReach, hasTaint, targetsOf } from "./authorise.ts";
import type { BegunWhileMarked } from "./begun-while-marked.ts";
import type { Patience } from "./patience.ts";

export interface FileTaintDeps {
  readonly sessionKey: SessionKey;
  /** What is marked so far. */
  of(): Promise<MarkedFiles>;
  /** Adds to it. Rejects for whoever may not write any more. */
  keep(files: MarkedFiles): Promise<void>;
  /** As `AuthoriseOptions`. */
  readonly commands?: CommandReach | undefined;
  readonly patiently: Patience;
  /** The workspace's folder, as absolute paths name it. */
  readonly folder: () => string;
  /** Absent: nothing is begun that outlives a turn. */
  readonly begun?: BegunWhileMarked | undefined;
}

/** The tool that reads of processes which outlive a turn. */
const processTool = "process";

export interface TurnFileTaint extends FileTaint {
  /** No call of the turn runs any more. */
  ended(): void;
}

/**
 * The marks of one session in one turn, kept in the database. Commands may read and write any file, so they mark all, and bring what is
 * marked anywhere. In a conversation of several people what anybody but an owner has said counts as a stranger's: an owner may read the
 * file later. A link that a command made earlier is taken for a file of its own.
 */
export function createFileTaint(deps: FileTaintDeps): TurnFileTaint {
  const { sessionKey, commands, patiently, folder, begun } = deps;
  const options = commands === undefined ? {} : { commands };
  let known: MarkedFiles | undefined;
  let looking: Promise<void> | undefined;
  const mark = async (files: MarkedFiles) => {
    if (known === "all" || (files !== "all" && files.every((file) => known?.includes(file)))) return;
    await patiently(() => deps.keep(files));
    known = files === "all" ? "all" : [...(known ?? []), ...files];
  };
  const look = async () => {
    known = await patiently(() => deps.of());
    if (await begun?.look(sessionKey, known)) await mark("all");
  };
  const looked = async () => {
    looking ??= look();
    await looking.catch((error: unknown) => {
      looking = undefined;
      throw error;
    });
  };
  return {
    async mark(asked, ofCode) {
      await looked();
      known ??= [];
      if (known === "all") return;
      const targets = targetsOf(asked.tool, asked.input, options);
      const brings = bringsContent(asked.tool.permissions, targets);
      if (ofCode && brings) return await mark("all");
      const written = writtenBy(asked, folder());
      if (written.length === 0) return;
      const copies = written === "all" && known.length > 0;
      if (copies || brings || hasTaint(asked, weakestReader(asked), options)) await mark(written);
    },

    async markPath(path) {
      await looked();
      await mark([path]);
    },

    ended() {
      begun?.note(sessionKey, known ?? []);
    },

    brings({ tool, input }) {
      if (tool.name === processTool && begun?.reads(sessionKey, tool.resources?.(input))) return true;
      if (known === undefined || known.length === 0) return false;
      if (tool.permissions.includes("exec") || known === "all") return true;
      const read = pathsOf(tool, input, folder());
      return known.some((marked) => read.some((path) => isWithin(marked, path) || isWithin(path, marked)));
    },
  };
}

function weakestReader({ conversation, askers, journal }: AskedCall): Role {
  return conversation.kind === "direct" ? rightsOf(rolesIn(askers ?? askersOf(journal))) : "owner";
}

function writtenBy({ tool, input }: AskedCall, folder: string): MarkedFiles {
  if (tool.permissions.includes("exec")) return "all";
  return tool.permissions.includes("fs.write") ? pathsOf(tool, input, folder) : [];
}

/** Relative to the workspace; `.` is all of it. */
function pathsOf(tool: Tool, input: unknown, folder: string): readonly string[] {
  const targets = tool.targets?.(input) ?? [];
  return targets.flatMap((target) => {
    if (target.kind !== "path" || !target.isInWorkspace) return [];
    // No file has such a name, and no database keeps it.
    if (target.path.includes("\0")) return ["."];
    return [posix.relative(folder, posix.resolve(folder, target.path)) || "."];
  });
}

function isWithin(path: string, folder: string): boolean {
  return folder === "." || path === folder || path.startsWith(`${folder}/`);
}
