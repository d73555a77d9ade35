import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import { ToolChild } from "./tool-child.ts";

/** At once, each with its memory. */
const mostChildren = 8;

export interface ChildrenOptions {
  /** The tools' folder, without links in its path. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** A child that nobody has called for so long is ended. */
  readonly idleMs: number;
}

/** Stands for one version of a file: each has a child of its own. */
export interface ChildKey {
  readonly path: string;
}

interface Living {
  readonly child: Promise<ToolChild>;
  users: number;
  isOutdated: boolean;
  /** Aborted when somebody uses it again, or it is gone. */
  resting: AbortController;
}

/** The processes of the tool files: started when they are called, ended when nobody calls them. */
export class Children {
  readonly #options: ChildrenOptions;
  readonly #living = new Map<ChildKey, Living>();
  readonly #all = new Set<ToolChild>();
  #isStopped = false;

  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  /** Starts a child for a look at its file. Whoever asks for it stops it. */
  begin(path: string): ToolChild {
    if (this.#isStopped) throw new GatewayError("the worker stops", { code: "unavailable", effect: "none" });
    const { clock, log, folder } = this.#options;
    const zod = import.meta.resolve("zod");
    const child = new ToolChild({
      clock,
      log: log.child({ file: path.slice(folder.length + 1) }),
      program,
      readable: [`${dirname(dirname(program))}/*`, `${folder}/*`, `${dirname(fileURLToPath(zod))}/*`],
      open: { file: pathToFileURL(path).href, folder: `${pathToFileURL(folder).href}/`, zod },
    });
    this.#all.add(child);
    void child.ended.then(() => this.#all.delete(child));
    return child;
  }

  /**
   * Calls `work` with the child of a version, which is started where none is there. `check` gets what a new one says of its file, and
   * throws when that is not what the caller means. Throws `unavailable` when too many are busy.
   */
  async use<Result>(
    key: ChildKey,
    check: (definition: unknown) => void,
    work: (child: ToolChild) => Promise<Result>,
  ): Promise<Result> {
    const living = this.#livingFor(key, check);
    living.users += 1;
    living.resting.abort();
    try {
      return await work(await living.child);
    } finally {
      living.users -= 1;
      if (living.users === 0) this.#rest(key, living);
    }
  }

  /** Ends the child of a version that is outdated, once nobody uses it. */
  release(key: ChildKey): void {
    const living = this.#living.get(key);
    if (living === undefined) return;
    living.isOutdated = true;
    if (living.users === 0) this.#end(key, living);
  }

  /** Ends all of them. Resolves when they are gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { resting } of this.#living.values()) resting.abort();
    await Promise.all([...this.#all].map((child) => child.stop()));
  }

  #livingFor(key: ChildKey, check: (definition: unknown) => void): Living {
    const known = this.#living.get(key);
    if (known !== undefined) return known;
    if (this.#living.size >= mostChildren) this.#makeRoom();
    const child = this.#begun(key.path, check);
    const living: Living = { child, users: 0, isOutdated: false, resting: new AbortController() };
    this.#living.set(key, living);
    const forget = () => {
      living.resting.abort();
      if (this.#living.get(key) === living) this.#living.delete(key);
    };
    child.then(
      ({ over }) => (over.aborted ? forget() : over.addEventListener("abort", forget, { once: true })),
      forget,
    );
    return living;
  }

  async #begun(path: string, check: (definition: unknown) => void): Promise<ToolChild> {
    const child = this.begin(path);
    try {
      const described = await child.described();
      if (described.type === "broken") {
        throw new GatewayError(described.problem, { code: "unavailable", effect: "none" });
      }
      check(described.definition);
      return child;
    } catch (error) {
      await child.stop();
      throw error;
    }
  }

  #makeRoom(): void {
    const [idle] = [...this.#living].filter(([, { users }]) => users === 0);
    if (idle !== undefined) {
      this.#end(...idle);
      return;
    }
    const message = `${mostChildren} tools of files run at once already: try again when one is done`;
    throw new GatewayError(message, { code: "unavailable", effect: "none" });
  }

  #rest(key: ChildKey, living: Living): void {
    if (this.#living.get(key) !== living) return;
    if (living.isOutdated) {
      this.#end(key, living);
      return;
    }
    living.resting = new AbortController();
    void this.#options.clock.sleep(this.#options.idleMs, living.resting.signal).then(
      () => this.#end(key, living),
      () => undefined,
    );
  }

  #end(key: ChildKey, { child, resting }: Living): void {
    this.#living.delete(key);
    resting.abort();
    child.then(
      (one) => one.stop(),
      () => undefined,
    );
  }
}

const program = fileURLToPath(new URL("./child/main.ts", import.meta.url));
