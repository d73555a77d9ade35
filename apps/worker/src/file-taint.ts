import { posix } from "node:path";
import { type AskedCall, askersOf, type FileTaint, type Tool } from "@talaria/agent";
import { bringsContent, rightsOf } from "@talaria/policy";
import { type Role, rolesIn } from "@talaria/protocol";
import type { FileTaintStore, MarkedFiles, SessionLease } from "@talaria/store";
import { type CommandReach, hasTaint, targetsOf } from "./authorise.ts";
import type { Patience } from "./patience.ts";

export interface FileTaintDeps {
  readonly store: FileTaintStore;
  readonly lease: SessionLease;
  /** As `AuthoriseOptions`. */
  readonly commands?: CommandReach | undefined;
  readonly patiently: Patience;
  /** The workspace's folder, as absolute paths name it. */
  readonly folder: () => string;
}

/**
 * The marks of one session in one turn, kept in the database. Commands may read and write any file, so they mark all, and bring what is
 * marked anywhere. In a conversation of several people what anybody but an owner has said counts as a stranger's: an owner may read the
 * file later. A link that a command made earlier is taken for a file of its own.
 */
export function createFileTaint({ store, lease, commands, patiently, folder }: FileTaintDeps): FileTaint {
  const options = commands === undefined ? {} : { commands };
  let known: MarkedFiles | undefined;
  const mark = async (files: MarkedFiles) => {
    known ??= await patiently(() => store.of(lease.sessionKey));
    if (known === "all" || (files !== "all" && files.every((file) => known?.includes(file)))) return;
    await patiently(() => store.mark(lease, files));
    known = files === "all" ? "all" : [...(known ?? []), ...files];
  };
  return {
    async mark(asked, ofCode) {
      known ??= await patiently(() => store.of(lease.sessionKey));
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
      await mark([path]);
    },

    brings({ tool, input }) {
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
