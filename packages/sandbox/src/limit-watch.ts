import { statfs } from "node:fs/promises";
import type { Clock } from "@talaria/protocol";
import type { SandboxLimits } from "./config.ts";
import { folderUsage, type Usage } from "./folder-usage.ts";
import { processUsage } from "./process-usage.ts";

const everyMs = 250;
/** Of the time that a look takes, that many times it is waited before the next. */
const restFactor = 5;
const mebibyte = 1024 * 1024;

export interface Watched {
  /** The `/proc` of the program's own namespace, where there is one. */
  proc(): Promise<string | undefined>;
  /** Kills it and says why. */
  kill(reason: string): void;
}

/** Looks at a session's folder and at the processes of its programs for as long as any of them runs. */
export class LimitWatch {
  readonly #folder: string;
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;
  readonly #watched = new Set<Watched>();
  #isLooking = false;
  #free = Number.NaN;
  #usage: Usage = { bytes: 0 };
  /** A folder that was too large before a program began may stay so, or nothing could be deleted from it. */
  #allowedBytes = 0;

  constructor(folder: string, limits: SandboxLimits, clock: Clock) {
    this.#folder = folder;
    this.#limits = limits;
    this.#clock = clock;
  }

  add(watched: Watched): void {
    this.#watched.add(watched);
    if (!this.#isLooking) void this.#look();
  }

  delete(watched: Watched): void {
    this.#watched.delete(watched);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#allowedBytes = 0;
    for (let isFirst = true; this.#watched.size > 0; isFirst = false) {
      await this.#clock.sleep(everyMs);
      const from = this.#clock.now();
      await this.#check(isFirst).catch(() => undefined);
      await this.#clock.sleep((this.#clock.now() - from) * restFactor);
    }
    this.#isLooking = false;
  }

  async #check(isFirst: boolean): Promise<void> {
    const quota = this.#limits.quotaMb * mebibyte;
    await this.#measureFolder();
    if (isFirst) this.#allowedBytes = this.#usage.bytes > quota ? this.#usage.bytes + mebibyte : quota;
    let unnamed = 0;
    for (const watched of this.#watched) {
      const proc = await watched.proc();
      if (proc === undefined) continue;
      const usage = await processUsage(proc);
      unnamed += usage.unnamedBytes;
      if (usage.problem !== undefined) watched.kill(usage.problem);
      if (usage.memoryBytes > this.#limits.memoryMb * mebibyte)
        watched.kill(`it used more memory than its ${this.#limits.memoryMb} MB`);
    }
    if (this.#usage.problem !== undefined) this.#killAll(this.#usage.problem);
    else if (this.#usage.bytes + unnamed > this.#allowedBytes)
      this.#killAll(`the workspace is over its quota of ${this.#limits.quotaMb} MB`);
  }

  /** Only when the disk has less room than before. */
  async #measureFolder(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder);
    const free = bavail * bsize;
    const hasGrown = !(free >= this.#free - mebibyte / 4);
    if (!hasGrown && this.#usage.problem === undefined) return;
    this.#free = free;
    this.#usage = await folderUsage(this.#folder);
  }

  #killAll(reason: string): void {
    for (const watched of this.#watched) watched.kill(reason);
  }
}
