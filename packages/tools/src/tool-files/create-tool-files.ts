import { realpath } from "node:fs/promises";
import type { Tool } from "@talaria/agent";
import type { Clock, Log } from "@talaria/protocol";
import type { SecretHandle } from "../secrets/secret-handle.ts";
import { createGuardedFetch, type GuardedFetch } from "../web/guarded-fetch.ts";
import { Children } from "./children.ts";
import { type FileProblem, type FoundFile, findToolFiles } from "./find-tool-files.ts";
import { isStillThis, readToolFile, type ToolFile } from "./tool-file.ts";

const readAtOnce = 2;
/** A turn begins without tools whose files take longer to be read; the next one has them. */
const patienceMs = 15_000;
const idleMs = 60_000;

export interface ToolFilesOptions {
  /** Where the files lie. It need not be there. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: the public internet alone. */
  readonly fetch?: GuardedFetch;
  /** Those that files may name. Default: none. */
  readonly secrets?: readonly SecretHandle[];
  /** A file's process that nobody has called for so long is ended. Default: a minute. */
  readonly idleMs?: number;
  /** How long a list waits for files that are new. Default: 15 s. */
  readonly patienceMs?: number;
}

/** The operator's own tools, one TypeScript file each. */
export interface ToolFiles {
  /**
   * Looks at the folder and gives the tools of the files as they are now, but those whose names are taken. A list that was given
   * stays as it is. Never throws.
   */
  tools(taken: ReadonlySet<string>): Promise<readonly Tool[]>;
  /** What keeps files from being tools, as of the newest look. */
  readonly problems: readonly FileProblem[];
  /** Ends all that runs. */
  stop(): Promise<void>;
}

export function createToolFiles(options: ToolFilesOptions): ToolFiles {
  const looking = new Looking(options);
  let problems: readonly FileProblem[] = [];
  return {
    tools: async (taken) => {
      await looking.look();
      const read = [...looking.files.values()];
      const tools = read.flatMap(({ tool }) => tool ?? []);
      const broken = read.flatMap(({ found, problem }) => (problem === undefined ? [] : [problemOf(found, problem)]));
      const twice = tools.filter(({ name }) => taken.has(name));
      problems = [
        ...looking.unread,
        ...broken,
        ...twice.map(({ name }) => problemOf({ name }, "another tool is called so: give the file another name")),
      ];
      return tools.filter(({ name }) => !taken.has(name));
    },
    get problems() {
      return problems;
    },
    stop: () => looking.stop(),
  };
}

const noFiles = { files: [], problems: [] };

/** Without links in its path. Undefined where there is none. */
async function realFolder(folder: string): Promise<string | undefined> {
  try {
    return await realpath(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function problemOf({ name }: Pick<FoundFile, "name">, problem: string): FileProblem {
  return { file: `${name}.ts`, problem };
}

/** What is known of the folder. One look at a time; whoever asks meanwhile waits for the same one. */
class Looking {
  /** By name, in the order of names once a look is over. */
  files: ReadonlyMap<string, ToolFile> = new Map();
  /** Files that are not even tried. */
  unread: readonly FileProblem[] = [];
  readonly #options: ToolFilesOptions;
  readonly #stopping = new AbortController();
  #children: Children | undefined;
  #look: Promise<void> | undefined;

  constructor(options: ToolFilesOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { clock, log, patienceMs: longest = patienceMs } = this.#options;
    this.#look ??= this.#lookAround()
      .catch((error: unknown) => log.warn({ error }, "the folder of tool files can't be read"))
      .finally(() => {
        this.#look = undefined;
      });
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, this.#stopping.signal]);
    await Promise.race([this.#look, clock.sleep(longest, signal).catch(() => undefined)]);
    enough.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#children?.stop();
    await this.#look;
  }

  async #lookAround(): Promise<void> {
    const folder = await realFolder(this.#options.folder);
    const { files, problems } = folder === undefined ? noFiles : await findToolFiles(folder);
    this.unread = problems;
    const before = this.files;
    const after = new Map<string, ToolFile>();
    const missing: FoundFile[] = [];
    for (const found of files) {
      const known = before.get(found.name);
      if (known !== undefined && (await isStillThis(known, found, this.#options.clock))) after.set(found.name, known);
      else missing.push(found);
    }
    for (const [name, old] of before) if (after.get(name) !== old) this.#children?.release(old.found);
    this.files = after;
    if (folder !== undefined && missing.length > 0) await this.#readAll(missing, folder);
  }

  async #readAll(missing: readonly FoundFile[], folder: string): Promise<void> {
    const { clock, log, fetch = createGuardedFetch() } = this.#options;
    this.#children ??= new Children({ folder, clock, log, idleMs: this.#options.idleMs ?? idleMs });
    const children = this.#children;
    const left = [...missing];
    const readNext = async () => {
      for (let found = left.shift(); found !== undefined && !this.#stopping.signal.aborted; found = left.shift()) {
        const file = await readToolFile(found, { children, fetch, secrets: this.#options.secrets ?? [], clock });
        if (this.#stopping.signal.aborted) return;
        if (file.problem === undefined) log.info({ tool: found.name }, "tool file read");
        else log.warn({ file: `${found.name}.ts`, problem: file.problem }, "tool file skipped");
        const all = new Map(this.files).set(found.name, file);
        this.files = new Map([...all].toSorted(([one], [other]) => (one < other ? -1 : 1)));
      }
    };
    await Promise.all(Array.from({ length: readAtOnce }, readNext));
  }
}
