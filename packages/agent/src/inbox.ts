import { createHash } from "node:crypto";
import { isGatewayError, type Log } from "@talaria/protocol";
import type { MarkedCalls } from "./file-taint.ts";
import { safeFileName } from "./file-types.ts";
import { fileIdOf, type KnownFile, keptPieces, type MediaAccess } from "./media.ts";
import type { Workspace } from "./workspace.ts";

/** Where the files of people lie in the workspace. */
const inboxFolder = "inbox";

/** In the inbox, and in a folder of it. */
const mostEntries = 20_000;
const folderLength = 8;

/**
 * The place of a file that a person sent, below the workspace's folder. A folder for each content under each name: no other file takes
 * its place, and what is sent again is not there twice. Undefined for what is not kept.
 */
export function inboxPathOf(file: Pick<KnownFile, "ref" | "name" | "mimeType">): string | undefined {
  if (fileIdOf(file.ref) === undefined) return undefined;
  const name = safeFileName(file.name ?? "", file.mimeType);
  const folder = createHash("sha256").update(`${file.ref} ${name}`).digest("hex").slice(0, folderLength);
  return `${inboxFolder}/${folder}/${name}`;
}

export interface InboxDeps {
  readonly media: MediaAccess;
  /** Without it, no file counts as a stranger's. */
  readonly files?: Pick<MarkedCalls, "markPath"> | undefined;
  readonly log: Log;
}

/**
 * Puts the files of people into the workspace, when a call of this turn first works there. What has the name of a file there is left as
 * it is, whatever became of it: nothing is overwritten. What is missing comes again, also where a writer died halfway.
 */
export class Inbox {
  readonly #deps: InboxDeps;
  readonly #settled = new Set<string>();
  #folders: Set<string> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves once all are there, with a line for each that can't be, told once in a turn. Throws `unavailable` where nobody can keep
   * that strangers may have written them.
   */
  bring(workspace: Workspace, files: readonly KnownFile[], signal: AbortSignal): Promise<readonly string[]> {
    const work = this.#last.then(() => this.#bringAll(workspace, files, signal));
    this.#last = work.catch(() => undefined);
    return work;
  }

  async #bringAll(workspace: Workspace, files: readonly KnownFile[], signal: AbortSignal): Promise<readonly string[]> {
    const missing = new Map<string, KnownFile>();
    for (const file of files) {
      const path = file.isSent && file.unopened === undefined ? inboxPathOf(file) : undefined;
      if (path !== undefined && !this.#settled.has(folderOf(path))) missing.set(folderOf(path), file);
    }
    if (missing.size === 0) return [];
    this.#folders ??= await foldersIn(workspace);
    const problems: string[] = [];
    for (const [folder, file] of missing) {
      if (signal.aborted) break;
      const isThere = this.#folders.has(folder) && (await isIn(workspace, folder, inboxPathOf(file) ?? ""));
      const problem = isThere ? undefined : await this.#put(workspace, file, signal);
      this.#settled.add(folder);
      if (problem !== undefined) problems.push(problem);
    }
    return problems;
  }

  async #put(workspace: Workspace, file: KnownFile, signal: AbortSignal): Promise<string | undefined> {
    const { media, files, log } = this.#deps;
    const path = inboxPathOf(file) ?? "";
    await files?.markPath(inboxFolder);
    try {
      await workspace.write(path, keptPieces(file, media, signal));
      return undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ path, error }, "a file could not be put into the workspace");
      const isGone = isGatewayError(error, "not_found");
      return `${path} is missing: ${isGone ? "it is no longer kept" : error instanceof Error ? error.message : String(error)}`;
    }
  }
}

async function foldersIn(workspace: Workspace): Promise<Set<string>> {
  return new Set((await namesIn(workspace, inboxFolder)).map((name) => `${inboxFolder}/${name}`));
}

/** A folder that shows not all it holds may hold this one. */
async function isIn(workspace: Workspace, folder: string, path: string): Promise<boolean> {
  const names = await namesIn(workspace, folder);
  return names.length >= mostEntries || names.includes(path.slice(folder.length + 1));
}

async function namesIn(workspace: Workspace, folder: string): Promise<readonly string[]> {
  const entries = await workspace.list(folder, mostEntries).catch((error: unknown) => {
    // It is not there yet, or is no folder.
    if (isGatewayError(error, "invalid_request")) return [];
    throw error;
  });
  return entries.map(({ name }) => name);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
