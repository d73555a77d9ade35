import { posix } from "node:path";
import type { Log, Target } from "@talaria/protocol";
import {
  instructionFiles,
  instructionsBlock,
  instructionsIntroduction,
  mostInstructionBytes,
  mostInstructionChars,
} from "./instruction-text.ts";
import type { ToolResultEntry, TranscriptEntry } from "./journal.ts";
import { watchedWorkspace } from "./watched-workspace.ts";
import type { Workspace } from "./workspace.ts";

/** Folders that are looked into for one result. */
const mostFolders = 32;
const lookMs = 5_000;

export interface FolderInstructionsDeps {
  /** Every text that the model reads now, without the result at hand. */
  readonly visible: () => { readonly system: string; readonly entries: readonly TranscriptEntry[] };
  readonly log: Log;
}

/** What a call has touched while it ran. */
export interface Touching {
  /** What the call is to work with, so that it is seen. */
  readonly workspace: Workspace;
  /** The result, with what the touched folders say that the model has not read. Never rejects. */
  added(result: ToolResultEntry, targets: readonly Target[], signal: AbortSignal): Promise<ToolResultEntry>;
}

/**
 * Brings files such as AGENTS.md with the first result that touches their folder. A folder is looked into once a turn. A file is
 * left out while the very block of it stands in what the model reads, or a call there has written it: so it comes again once it
 * was changed, or is not shown any more.
 */
export class FolderInstructions {
  readonly #deps: FolderInstructionsDeps;
  readonly #looked = new Set<string>();

  constructor(deps: FolderInstructionsDeps) {
    this.#deps = deps;
  }

  watch(workspace: Workspace): Touching {
    const touched = new Set<string>();
    return {
      workspace: watchedWorkspace(workspace, (folder) => touched.add(folder)),
      added: async (result, targets, signal) => {
        for (const target of targets) if (target.kind === "path") touched.add(folderOf(target.path));
        try {
          const blocks = await this.#blocks(workspace, touched, signal);
          if (blocks.length === 0) return result;
          const content = [result.content, "", `[${instructionsIntroduction}]`, ...blocks].join("\n");
          return { ...result, content, untrusted: true };
        } catch (error) {
          this.#deps.log.warn({ tool: result.name, error }, "what a folder says to agents could not be read");
          return result;
        }
      },
    };
  }

  async #blocks(workspace: Workspace, touched: Iterable<string>, signal: AbortSignal): Promise<readonly string[]> {
    const folders = foldersTo(touched, workspace.folder).filter((folder) => !this.#looked.has(folder));
    const looking = folders.slice(0, mostFolders);
    for (const folder of looking) this.#looked.add(folder);
    if (looking.length === 0) return [];
    const blocks: string[] = [];
    let room = mostInstructionChars;
    for (const { folder, path } of await filesIn(workspace, looking, signal)) {
      const file = await workspace.read(path, { length: mostInstructionBytes }).catch(() => undefined);
      const block = file && instructionsBlock({ path, ...file });
      if (file === undefined || block === undefined || this.#isKnown(path, file.bytes, block)) continue;
      if (blocks.length > 0 && block.length > room) {
        // It comes with the next result.
        this.#looked.delete(folder);
        continue;
      }
      room -= block.length;
      blocks.push(block);
    }
    return blocks;
  }

  #isKnown(path: string, bytes: Uint8Array, block: string): boolean {
    const { system, entries } = this.#deps.visible();
    if (system.includes(block)) return true;
    const text = Buffer.from(bytes).toString("utf8");
    return entries.some((entry) => {
      if (entry.kind === "tool.result") return entry.content.includes(block);
      return entry.kind === "assistant" && entry.toolCalls.some((call) => hasWritten(call.arguments, path, text));
    });
  }
}

/** Whether this very text was an argument of a call about a file of that name. */
function hasWritten(given: string, path: string, text: string): boolean {
  if (!given.includes(posix.basename(path))) return false;
  try {
    const values: readonly unknown[] = Object.values(JSON.parse(given) ?? {});
    return values.includes(text);
  } catch {
    return false;
  }
}

/** Of a path that may be a file or a folder: what has no ending is taken for a folder. */
function folderOf(path: string): string {
  return /[^/]\.[^./]+$/.test(path) ? posix.dirname(path) : path;
}

/**
 * The folders from the workspace's own down to each of these, as paths below it, outer ones first. Neither hidden ones, nor what is
 * installed: nobody works in them.
 */
function foldersTo(touched: Iterable<string>, root: string): readonly string[] {
  const folders = new Set<string>();
  for (const path of touched) {
    const below = posix.relative(root, posix.resolve(root, path));
    if (below === ".." || below.startsWith("../")) continue;
    folders.add("");
    let folder = "";
    for (const name of below === "" ? [] : below.split("/")) {
      if (name.startsWith(".") || name === "node_modules") break;
      folder = posix.join(folder, name);
      folders.add(folder);
    }
  }
  return [...folders].sort((one, other) => one.length - other.length);
}

/** Arguments: folders. A line for each with the number of the first file that it has, or an empty one. */
const script = `
for folder; do
  found=
  ${instructionFiles.map((name, index) => `[ -z "$found" ] && [ -f "$folder/${name}" ] && found=${index}`).join("\n  ")}
  printf '%s\\n' "$found"
done
`;

async function filesIn(workspace: Workspace, folders: readonly string[], signal: AbortSignal) {
  const places = folders.map((folder) => `./${folder}`);
  const { output } = await workspace.exec(
    { command: ["/bin/sh", "-c", script, "sh", ...places] },
    { timeoutMs: lookMs, signal, maxOutputChars: 4 * mostFolders },
  );
  const lines = output.split("\n");
  return folders.flatMap((folder, index) => {
    const name = instructionFiles[lines[index] === "" ? -1 : Number(lines[index])];
    return name === undefined ? [] : [{ folder, path: posix.join(folder, name) }];
  });
}
