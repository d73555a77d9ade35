import { statfs } from "node:fs/promises";
import { freemem } from "node:os";
import type { Clock } from "@talaria/protocol";
import type { SandboxLimits } from "./config.ts";
import { folderUsage, type Usage } from "./folder-usage.ts";
import { processUsage } from "./process-usage.ts";

const everyMs = 250;
/**
 * Of the time that a look takes, that many times it is waited before the next. While the folder is too large no longer than this, also where
 * the disk stood still for seconds: what is deleted makes room.
 */
const rest = { factor: 2, mostWhenFullMs: 1_000 };
const mebibyte = 1024 * 1024;
/**
 * While the machine has as much memory and the disk as much room as at the last look, only so many times in turn the processes are
 * not looked at: programs that wait, such as servers, cost two system calls then.
 */
const calm = { mostSkipped: 7, memoryBytes: 32 * mebibyte, diskBytes: mebibyte / 4 };

/** What the machine has left, in bytes. */
export interface Machine {
  freeMemory(): number;
  freeDisk(folder: string): Promise<number>;
}

const thisMachine: Machine = {
  freeMemory: freemem,
  async freeDisk(folder) {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
};

export interface Watched {
  /** False for what was begun while the workspace was too large: by it no file can grow, so it may go on deleting. */
  readonly mayWrite: boolean;
  /** The `/proc` of the program's own namespace, where there is one. */
  proc(): Promise<string | undefined>;
  /** Kills it and says why. */
  kill(reason: string): Promise<void>;
}

/**
 * Looks at a session's folder and at the processes of its programs for as long as any of them runs, and once after. So a
 * program may write more than the quota for as long as one look and its pause take, and the next ones nothing at all. A program that
 * takes memory so slowly that the machine shows nothing of it is seen within two seconds.
 */
export class LimitWatch {
  readonly #folder: string;
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;
  readonly #machine: Machine;
  readonly #watched = new Set<Watched>();
  #isLooking = false;
  #free = Number.NaN;
  #memory = Number.NaN;
  /** Nothing that runs was added since the last look. */
  #isSeen = false;
  #skipped = 0;
  #usage: Usage = { bytes: 0 };

  private constructor(folder: string, limits: SandboxLimits, clock: Clock, machine: Machine) {
    this.#folder = folder;
    this.#limits = limits;
    this.#clock = clock;
    this.#machine = machine;
  }

  static async begin(folder: string, limits: SandboxLimits, clock: Clock, machine = thisMachine): Promise<LimitWatch> {
    const watch = new LimitWatch(folder, limits, clock, machine);
    await watch.#measureFolder();
    return watch;
  }

  /** Why the folder is too large, as of the newest look. */
  get excess(): string | undefined {
    if (this.#usage.problem !== undefined) return this.#usage.problem;
    return this.#usage.bytes > this.#quotaBytes ? this.#overQuota : undefined;
  }

  add(watched: Watched): void {
    this.#watched.add(watched);
    this.#isSeen = false;
    if (!this.#isLooking) void this.#look();
  }

  delete(watched: Watched): void {
    this.#watched.delete(watched);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    let isLast = false;
    while (!isLast) {
      await this.#clock.sleep(everyMs);
      isLast = this.#watched.size === 0;
      if (!isLast && (await this.#isCalm())) continue;
      const from = this.#clock.elapsed();
      await this.#check().catch(() => undefined);
      const restMs = (this.#clock.elapsed() - from) * rest.factor;
      await this.#clock.sleep(this.excess === undefined ? restMs : Math.min(rest.mostWhenFullMs, restMs));
      isLast &&= this.#watched.size === 0;
    }
    this.#isLooking = false;
  }

  /** Others on the machine take and give memory, too: then it is looked once more than was needed. */
  async #isCalm(): Promise<boolean> {
    if (!this.#isSeen || this.excess !== undefined || this.#skipped >= calm.mostSkipped) return false;
    if (Math.abs(this.#machine.freeMemory() - this.#memory) >= calm.memoryBytes) return false;
    const free = await this.#machine.freeDisk(this.#folder).catch(() => Number.NaN);
    if (!(Math.abs(free - this.#free) < calm.diskBytes)) return false;
    this.#skipped += 1;
    return true;
  }

  async #check(): Promise<void> {
    this.#isSeen = true;
    this.#skipped = 0;
    this.#memory = this.#machine.freeMemory();
    await this.#measureFolder();
    let unnamed = 0;
    for (const watched of this.#watched) {
      const proc = await watched.proc();
      if (proc === undefined) continue;
      const usage = await processUsage(proc);
      unnamed += usage.unnamedBytes;
      if (usage.problem !== undefined) void watched.kill(usage.problem);
      if (usage.memoryBytes > this.#limits.memoryMb * mebibyte)
        void watched.kill(`it used more memory than its ${this.#limits.memoryMb} MB`);
    }
    const isOver = this.#usage.bytes + unnamed > this.#quotaBytes;
    const excess = this.excess ?? (isOver ? this.#overQuota : undefined);
    if (excess === undefined) return;
    for (const watched of this.#watched) if (watched.mayWrite) void watched.kill(excess);
  }

  get #quotaBytes(): number {
    return this.#limits.quotaMb * mebibyte;
  }

  get #overQuota(): string {
    return `the workspace is over its quota of ${this.#limits.quotaMb} MB`;
  }

  /**
   * Only when the disk has more or less room than before, and while the folder is too large: what is deleted there may be as much as others
   * write at the same time.
   */
  async #measureFolder(): Promise<void> {
    const free = await this.#machine.freeDisk(this.#folder);
    if (Math.abs(free - this.#free) < calm.diskBytes && this.excess === undefined) return;
    this.#free = free;
    this.#usage = await folderUsage(this.#folder);
  }
}
