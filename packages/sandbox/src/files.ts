import { posix } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { FileSlice, WorkspaceFile } from "@talaria/agent";
import { type Clock, GatewayError } from "@talaria/protocol";
import { type FileAnswer, FileProcess, type FileQuestion } from "./file-process.ts";
import { onceScript } from "./file-scripts.ts";
import type { Place } from "./place.ts";
import { endOf } from "./program-end.ts";
import { unknownWord } from "./shell-marker.ts";
import { wholeEnd } from "./whole-end.ts";
import { inPieces } from "./written-pieces.ts";

const compress = promisify(gzip);
const expand = promisify(gunzip);
const timeoutMs = 60_000;
/** The most bytes of one read. */
const maxReadBytes = 32 * 1024 * 1024;
/** Entries of a folder that are looked at; of more, the rest is unknown. */
const maxNames = 20_000;
const maxListBytes = 16 * 1024 * 1024;
/** How long a look at what the workspace takes up is good for another write: commands are watched besides. */
const usageMs = 2_000;
/** What commands printed lies in it, in the workspace. */
export const outputFolder = ".output";
/** Of files there that have not come whole. */
const partEnding = ".part";
const mostRemoved = 500;

interface Written {
  /** As the caller names it. */
  readonly path: string;
  readonly folder: string;
  readonly name: string;
}

/** Files of one workspace, reached from inside its boundary. Each method throws what `Workspace` says. */
export class WorkspaceFiles {
  readonly #place: Place;
  readonly #clock: Clock;
  readonly #quotaBytes: number;
  readonly #process: FileProcess;
  /** As of the newest look, with what was written since. */
  #usage = { bytes: 0, at: Number.NEGATIVE_INFINITY };
  #swept: Promise<void> | undefined;

  constructor(place: Place, clock: Clock, quotaBytes: number) {
    this.#place = place;
    this.#clock = clock;
    this.#quotaBytes = quotaBytes;
    this.#process = new FileProcess(place, clock, timeoutMs);
  }

  async read(path: string, range: { readonly start?: number; readonly length: number }): Promise<FileSlice> {
    const [start, length] = [toCount(range.start ?? 0, "start"), toCount(range.length, "length")];
    if (length > maxReadBytes)
      throw refused(`length is ${length} bytes, the limit is ${maxReadBytes}; read the file in pieces`);
    const words = ["read_file", this.#below(path), `${start + 1}`, `${length}`];
    const answer = await this.#ask(path, { words, maxBytes: length + 64 });
    const end = answer.indexOf("\n");
    return { size: Number(answer.toString("latin1", 3, end)), bytes: answer.subarray(end + 1) };
  }

  async write(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    const below = this.#below(path);
    if (below === "") throw refused(`${path} is the workspace itself, not a file`);
    const folder = posix.dirname(below);
    const to = { path, folder: folder === "." ? "" : folder, name: posix.basename(below) };
    await (content instanceof Uint8Array ? this.#writeWhole(to, content) : this.#writePieces(to, content));
  }

  async list(path: string, limit: number): Promise<readonly WorkspaceFile[]> {
    const below = this.#below(path);
    const answer = await this.#ask(path, { words: ["list_folder", below, `${maxNames}`], maxBytes: maxListBytes });
    const middle = answer.indexOf("\0\0");
    if (middle < 0) return [];
    const names = answer.toString("utf8", 3, middle).split("\0");
    const lines = answer
      .toString("latin1", middle + 2)
      .split("\n")
      .filter((line) => line !== "");
    // One that went in between shifts every line behind it.
    if (lines.length !== names.length) throw refused(`${path} changed while it was listed; list it again`);
    return names
      .map((name, index) => toFile(name.slice(2), lines[index] ?? ""))
      .sort((left, right) => (left.name < right.name ? -1 : 1))
      .slice(0, toCount(limit, "limit"));
  }

  /** What commands printed is left out: it is large, and of no use elsewhere. */
  async snapshot(maxBytes: number): Promise<Uint8Array | undefined> {
    const most = Math.min(maxBytes, maxReadBytes);
    const used = (await this.#place.usedBytes()) ?? 0;
    if (used > most && used - (await this.#outputBytes()) > most) return undefined;
    // Headers, and files with holes, take more than what is in use.
    const answer = await this.#askOnce("the workspace", { words: ["snapshot", outputFolder], maxBytes: 2 * most });
    return await compress(answer.subarray("ok\n".length));
  }

  async restore(snapshot: Uint8Array): Promise<void> {
    const bytes = await expand(snapshot, { maxOutputLength: this.#quotaBytes }).catch((cause: unknown) => {
      throw new GatewayError("the snapshot is damaged, or larger than the quota", { code: "invalid_request", cause });
    });
    await this.#askOnce("the snapshot", { words: ["restore", `${bytes.length}`], maxBytes: 64, input: bytes });
  }

  /** Adds to a file of `outputFolder`, which has so many bytes yet; 0 makes it. Throws where it has others. */
  async appendOutput(name: string, size: number, bytes: Uint8Array): Promise<void> {
    const words = ["append_output", outputFolder, name, `${size}`, `${bytes.length}`];
    await this.#ask(`${outputFolder}/${name}`, { words, maxBytes: 64, input: bytes });
  }

  async removeOutputs(names: readonly string[]): Promise<void> {
    await this.#ask(outputFolder, { words: ["remove_outputs", outputFolder, ...names], maxBytes: 64 });
  }

  /** What the workspace has room for. */
  async freeBytes(): Promise<number> {
    return this.#quotaBytes - ((await this.#place.usedBytes()) ?? 0);
  }

  async #writeWhole({ path, folder, name }: Written, bytes: Uint8Array): Promise<void> {
    await this.#checkRoom(bytes.length);
    const words = ["write_file", folder, name, `${bytes.length}`, unknownWord()];
    await this.#ask(path, { words, maxBytes: 64, input: bytes });
  }

  /** Beside what commands printed, until all is there. */
  async #writePieces({ path, folder, name }: Written, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#swept ??= this.#sweepParts().catch(() => undefined);
    await this.#swept;
    const part = `${unknownWord()}${partEnding}`;
    let size = 0;
    try {
      for await (const bytes of inPieces(content)) {
        await this.#checkRoom(bytes.length);
        await this.appendOutput(part, size, bytes);
        size += bytes.length;
      }
      if (size === 0) return await this.#writeWhole({ path, folder, name }, new Uint8Array());
      const words = ["take_output", outputFolder, part, folder, name, `${size}`];
      await this.#ask(path, { words, maxBytes: 64 });
    } catch (error) {
      await this.removeOutputs([part]).catch(() => undefined);
      throw error;
    }
  }

  /** Of a worker that died in the middle: nobody else writes here now. */
  async #sweepParts(): Promise<void> {
    const found = await this.list(outputFolder, maxNames).catch(() => []);
    const parts = found.flatMap(({ name }) => (name.endsWith(partEnding) ? [name] : []));
    for (let from = 0; from < parts.length; from += mostRemoved)
      await this.removeOutputs(parts.slice(from, from + mostRemoved));
  }

  async #outputBytes(): Promise<number> {
    const files = await this.list(outputFolder, maxNames).catch(() => []);
    return files.reduce((sum, { size }) => sum + size, 0);
  }

  async #checkRoom(bytes: number): Promise<void> {
    const now = this.#clock.elapsed();
    const isOld = now - this.#usage.at > usageMs || this.#usage.bytes + bytes > this.#quotaBytes;
    if (isOld) this.#usage = { bytes: (await this.#place.usedBytes()) ?? 0, at: now };
    const used = this.#usage.bytes;
    this.#usage = { ...this.#usage, bytes: used + bytes };
    if (used + bytes <= this.#quotaBytes) return;
    this.#usage = { bytes: 0, at: Number.NEGATIVE_INFINITY };
    throw refused(
      `${bytes} bytes do not fit: ${used} of the workspace's ${this.#quotaBytes} bytes are in use; delete something first`,
    );
  }

  /** The path as the workspace's folder sees it. */
  #below(path: string): string {
    if (path.includes("\0")) throw refused("a path can't contain a NUL character");
    if (Buffer.byteLength(path) > 4_000) throw refused("the path is longer than 4000 bytes");
    const { folder } = this.#place;
    const absolute = posix.resolve(folder, path);
    if (absolute !== folder && !absolute.startsWith(`${folder}/`))
      throw refused(`${path} leads out of the workspace ${folder}`);
    return absolute.slice(folder.length + 1);
  }

  async #ask(path: string, question: FileQuestion): Promise<Buffer> {
    return this.#checked(path, await this.#process.ask(question));
  }

  /** In a process of its own, for what takes long and may not keep others waiting. It may read its input at once. */
  async #askOnce(path: string, { words, maxBytes, input }: FileQuestion): Promise<Buffer> {
    const { folder } = this.#place;
    const program = await this.#place.launch({
      argv: ["/bin/sh", "-c", onceScript, "sh", folder, ...words],
      folder,
      variables: { LC_ALL: "C" },
    });
    const pieces: Buffer[] = [];
    let length = 0;
    program.output.on("data", (bytes: Buffer) => {
      length += bytes.length;
      if (length <= maxBytes) pieces.push(bytes);
    });
    program.stdin.on("error", () => undefined);
    program.stdin.end(input);
    const forEver = new AbortController().signal;
    const { end, reason } = await endOf(program, wholeEnd(program), { timeoutMs, signal: forEver }, this.#clock);
    return this.#checked(path, {
      ...{ bytes: Buffer.concat(pieces), isCut: length > maxBytes },
      ...(end.kind === "exit" && { code: end.code }),
      ...(end.kind === "timeout" && { isLate: true as const }),
      ...(reason !== undefined && { reason }),
    });
  }

  #checked(path: string, { bytes, isCut, code, reason, isLate }: FileAnswer): Buffer {
    const word = /^[a-z]+(?=[ \n])/.exec(bytes.toString("latin1", 0, 16))?.[0] ?? "";
    if (word === "ok" && !isCut && code === 0) return bytes;
    if (isLate) throw new GatewayError(`${path} did not answer within ${timeoutMs} ms`, { code: "unavailable" });
    throw refused(refusals[word]?.(path) ?? `${path} could not be used: ${reason ?? "no right to"}`);
  }
}

const refusals: Readonly<Record<string, (path: string) => string>> = {
  missing: (path) => `${path} does not exist`,
  notfile: (path) => `${path} is not a regular file`,
  notfolder: (path) => `${path} is not a folder, or lies below a file`,
  outside: (path) => `${path} leads out of the workspace through a link`,
  denied: (path) => `${path} may not be read or written`,
  damaged: (path) => `${path} is damaged, or does not fit`,
  full: (path) => `${path} could not be written whole: the disk or the quota is full`,
};

function refused(message: string): GatewayError {
  return new GatewayError(message, { code: "invalid_request" });
}

function toCount(value: number, name: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw refused(`${name} is ${value}, and must be a whole number from 0 on`);
}

/** `line`: mode in hexadecimal, size, seconds since 1970, from `stat -c '%f %s %Y'`. */
function toFile(name: string, line: string): WorkspaceFile {
  const [mode = "", size = "", seconds = ""] = line.split(" ");
  const kinds: Readonly<Record<number, WorkspaceFile["kind"]>> = { 8: "file", 4: "folder", 10: "link" };
  return {
    name,
    kind: kinds[Number.parseInt(mode, 16) >> 12] ?? "other",
    size: Number(size),
    changedAt: Number(seconds) * 1_000,
  };
}
