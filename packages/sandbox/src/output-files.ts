import type { OutputFile } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import { outputFolder, type WorkspaceFiles } from "./files.ts";

const mebibyte = 1024 * 1024;
/** Of one command; what it prints behind that is only in its result, as far as that goes. */
const mostFileBytes = 4 * mebibyte;
/** Of all together, where the quota allows; the oldest go first. */
const mostBytes = 32 * mebibyte;
const mostFiles = 40;
/** Less room isn't worth a file. */
const leastBytes = 65_536;
/** What comes within it is written at once. */
const pauseMs = 100;
const maxNames = 10_000;

/** The files in which what commands of one workspace print lies whole, in `.output`. */
export class OutputFiles {
  readonly #files: WorkspaceFiles;
  readonly #clock: Clock;
  readonly #mostBytes: number;
  /** By number those that are written, with what they may become. */
  readonly #open = new Map<number, number>();
  #newest = 0;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(files: WorkspaceFiles, clock: Clock, quotaBytes: number) {
    this.#files = files;
    this.#clock = clock;
    this.#mostBytes = Math.min(mostBytes, quotaBytes / 4);
  }

  /** `fromBytes`: less is no file. */
  log(fromBytes: number): OutputLog {
    return new OutputLog(fromBytes, mostFileBytes, this.#clock, {
      begin: () => this.#begin(),
      append: (number, size, bytes) => this.#files.appendOutput(`${number}.log`, size, bytes),
      end: (number) => void this.#open.delete(number),
    });
  }

  #begin(): Promise<Begun | undefined> {
    const begun = this.#previous.then(() => this.#makeRoom());
    this.#previous = begun.catch(() => undefined);
    return begun;
  }

  async #makeRoom(): Promise<Begun | undefined> {
    const found = await this.#found();
    const known = new Map([...found.filter(({ isFile }) => isFile).map(sized), ...this.#open]);
    const reserved = [...this.#open.values()].reduce((sum, limit) => sum + limit, 0);
    const free = (await this.#files.freeBytes()) - reserved;
    const limit = Math.floor(Math.min(mostFileBytes, this.#mostBytes / 4, free / 2));
    if (limit < leastBytes) return undefined;
    let bytes = [...known.values()].reduce((sum, size) => sum + size, limit);
    const dropped: number[] = [];
    for (const [number, size] of known) {
      if (known.size - dropped.length < mostFiles && bytes <= this.#mostBytes) break;
      if (this.#open.has(number)) continue;
      dropped.push(number);
      bytes -= size;
    }
    if (dropped.length > 0) await this.#files.removeOutputs(dropped.map((number) => `${number}.log`));
    const taken = found.reduce((most, { number }) => Math.max(most, number), this.#newest);
    this.#newest = Math.max(taken, ...this.#open.keys()) + 1;
    this.#open.set(this.#newest, limit);
    return { number: this.#newest, limit };
  }

  /** As they lie there, oldest first: a command may have deleted some, or put something else in their place. */
  async #found(): Promise<readonly Found[]> {
    const files = await this.#files.list(outputFolder, maxNames).catch(() => []);
    const own = files.flatMap(({ name, kind, size }): Found[] => {
      const number = /^([1-9]\d{0,8})\.log$/.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), size, isFile: kind === "file" }];
    });
    return own.sort((one, other) => one.number - other.number);
  }
}

interface Found {
  readonly number: number;
  readonly size: number;
  readonly isFile: boolean;
}

function sized({ number, size }: Found): readonly [number, number] {
  return [number, size];
}

interface Begun {
  readonly number: number;
  readonly limit: number;
}

interface Disk {
  /** Undefined: there is no room. */
  begin(): Promise<Begun | undefined>;
  append(number: number, size: number, bytes: Uint8Array): Promise<void>;
  end(number: number): void;
}

/** Takes what one command prints and writes it while it runs. Begins a file once there is more than its reader is shown. */
export class OutputLog {
  readonly #fromBytes: number;
  readonly #clock: Clock;
  readonly #disk: Disk;
  #held: Buffer[] = [];
  #begun: Begun | undefined;
  /** All that was taken, and what of it is in the file. */
  #taken = 0;
  #size = 0;
  #limit: number;
  #isCut = false;
  #isLost = false;
  #writing: Promise<void> | undefined;
  #hurry = new AbortController();

  constructor(fromBytes: number, limit: number, clock: Clock, disk: Disk) {
    this.#fromBytes = fromBytes;
    this.#limit = limit;
    this.#clock = clock;
    this.#disk = disk;
  }

  /** Undefined: there is none, yet or for good. */
  get file(): OutputFile | undefined {
    if (this.#begun === undefined || this.#isLost) return undefined;
    return { path: `${outputFolder}/${this.#begun.number}.log`, isWhole: !this.#isCut };
  }

  add(bytes: Buffer): void {
    if (this.#isLost || bytes.length === 0) return;
    const room = Math.max(0, this.#limit - this.#taken);
    if (bytes.length > room) this.#isCut = true;
    if (room === 0) return;
    const taken = bytes.subarray(0, room);
    this.#held.push(taken);
    this.#taken += taken.length;
    if (this.#taken > this.#fromBytes) this.#writing ??= this.#write();
  }

  /** When all that was added lies in the file, or there is none. */
  async written(): Promise<void> {
    this.#hurry.abort();
    while (this.#writing !== undefined) await this.#writing;
    this.#hurry = new AbortController();
  }

  async end(): Promise<void> {
    await this.written();
    this.#held = [];
    if (this.#begun !== undefined) this.#disk.end(this.#begun.number);
  }

  async #write(): Promise<void> {
    try {
      this.#begun ??= await this.#disk.begin();
      if (this.#begun === undefined) this.#isLost = true;
      else await this.#append(this.#begun);
    } catch {
      // The workspace is full or away, or a command has deleted the file: the result then names none.
      this.#isLost = true;
    }
    if (this.#isLost) this.#held = [];
    this.#writing = undefined;
  }

  async #append({ number, limit }: Begun): Promise<void> {
    this.#limit = limit;
    while (this.#held.length > 0 && this.#size < limit) {
      const all = Buffer.concat(this.#held);
      this.#held = [];
      const bytes = all.subarray(0, limit - this.#size);
      if (bytes.length < all.length) this.#isCut = true;
      await this.#disk.append(number, this.#size, bytes);
      this.#size += bytes.length;
      await this.#clock.sleep(pauseMs, this.#hurry.signal).catch(() => undefined);
    }
    if (this.#size >= limit) this.#held = [];
  }
}
