import { posix } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { FileSlice, WorkspaceFile } from "@talaria/agent";
import { type Clock, GatewayError } from "@talaria/protocol";
import { endOf } from "./collect.ts";
import { listScript, readScript, restoreScript, snapshotScript, writeScript } from "./file-scripts.ts";
import type { Place } from "./place.ts";
import { wholeEnd } from "./whole-end.ts";

const compress = promisify(gzip);
const expand = promisify(gunzip);
const timeoutMs = 60_000;
/** The most bytes of one read. */
const maxReadBytes = 32 * 1024 * 1024;
/** Entries of a folder that are looked at; of more, the rest is unknown. */
const maxNames = 20_000;
const maxListBytes = 16 * 1024 * 1024;

/** Files of one workspace, reached from inside its boundary. Each method throws what `Workspace` says. */
export class WorkspaceFiles {
  readonly #place: Place;
  readonly #clock: Clock;
  readonly #quotaBytes: number;

  constructor(place: Place, clock: Clock, quotaBytes: number) {
    this.#place = place;
    this.#clock = clock;
    this.#quotaBytes = quotaBytes;
  }

  async read(path: string, range: { readonly start?: number; readonly length: number }): Promise<FileSlice> {
    const [start, length] = [toCount(range.start ?? 0, "start"), toCount(range.length, "length")];
    if (length > maxReadBytes)
      throw refused(`length is ${length} bytes, the limit is ${maxReadBytes}; read the file in pieces`);
    const answer = await this.#ask(path, readScript, [this.#below(path), `${start + 1}`, `${length}`], length + 64);
    const end = answer.indexOf("\n");
    return { size: Number(answer.toString("latin1", 3, end)), bytes: answer.subarray(end + 1) };
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const below = this.#below(path);
    if (below === "") throw refused(`${path} is the workspace itself, not a file`);
    const used = await this.#place.usedBytes();
    if ((used ?? 0) + bytes.length > this.#quotaBytes)
      throw refused(
        `${bytes.length} bytes do not fit: ${used ?? 0} of the workspace's ${this.#quotaBytes} bytes are in use; delete something first`,
      );
    const folder = posix.dirname(below);
    const argv = [folder === "." ? "" : folder, posix.basename(below), `${bytes.length}`];
    await this.#ask(path, writeScript, argv, 64, bytes);
  }

  async list(path: string, limit: number): Promise<readonly WorkspaceFile[]> {
    const below = this.#below(path);
    const answer = await this.#ask(path, listScript, [below, `${maxNames}`], maxListBytes);
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

  async snapshot(maxBytes: number): Promise<Uint8Array | undefined> {
    const most = Math.min(maxBytes, maxReadBytes);
    if (((await this.#place.usedBytes()) ?? 0) > most) return undefined;
    // Headers, and files with holes, take more than what is in use.
    const answer = await this.#ask("the workspace", snapshotScript, [], 2 * most);
    return await compress(answer.subarray("ok\n".length));
  }

  async restore(snapshot: Uint8Array): Promise<void> {
    const bytes = await expand(snapshot, { maxOutputLength: this.#quotaBytes }).catch((cause: unknown) => {
      throw new GatewayError("the snapshot is damaged, or larger than the quota", { code: "invalid_request", cause });
    });
    await this.#ask("the snapshot", restoreScript, [`${bytes.length}`], 64, bytes);
  }

  /** The path as the workspace's folder sees it. */
  #below(path: string): string {
    if (path.includes("\0")) throw refused("a path holds no NUL character");
    if (Buffer.byteLength(path) > 4_000) throw refused("the path is longer than 4000 bytes");
    const { folder } = this.#place;
    const absolute = posix.resolve(folder, path);
    if (absolute !== folder && !absolute.startsWith(`${folder}/`))
      throw refused(`${path} leads out of the workspace ${folder}`);
    return absolute.slice(folder.length + 1);
  }

  async #ask(
    path: string,
    script: string,
    argv: readonly string[],
    maxBytes: number,
    input?: Uint8Array,
  ): Promise<Buffer> {
    const { folder } = this.#place;
    const program = await this.#place.launch({
      argv: ["/bin/sh", "-c", script, "sh", folder, ...argv],
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
    const { end, reason } = await endOf(
      program,
      wholeEnd(program),
      { timeoutMs, signal: new AbortController().signal },
      this.#clock,
    );
    const answer = Buffer.concat(pieces);
    const word = /^[a-z]+(?=[ \n])/.exec(answer.toString("latin1", 0, 16))?.[0] ?? "";
    if (word === "ok" && length <= maxBytes && end.kind === "exit" && end.code === 0) return answer;
    if (end.kind === "timeout")
      throw new GatewayError(`${path} did not answer within ${timeoutMs} ms`, { code: "unavailable" });
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
