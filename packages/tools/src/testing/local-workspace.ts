import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, open, readdir, realpath, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import type {
  BackgroundProcess,
  Command,
  CommandOptions,
  CommandResult,
  FileSlice,
  ShellResult,
  Workspace,
} from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";

const mostProcesses = 3;

/**
 * A workspace in a temporary folder with real processes, and no boundary: for tests alone. With `programs`, `exec` finds only
 * those, from `/usr/bin`.
 */
export async function startLocalWorkspace(programs?: readonly string[]): Promise<Workspace & AsyncDisposable> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "workspace-")));
  const shell = new Shell(folder);
  const bin = await mkdtemp(join(tmpdir(), "programs-"));
  for (const name of programs ?? []) await symlink(`/usr/bin/${name}`, join(bin, name));
  const variables = programs === undefined ? {} : { PATH: bin };
  const background: LocalProcess[] = [];
  return {
    folder,
    exec: (command, options) =>
      collect(start({ ...command, variables: { ...command.variables, ...variables } }, folder), options),
    run: (command, options) => shell.run(command, options),
    spawn: async (command) => {
      if (background.filter(({ end }) => end === undefined).length >= mostProcesses) {
        throw invalid(`${mostProcesses} processes run already; end one first`);
      }
      const started = new LocalProcess(`p${background.length + 1}`, command, folder);
      background.push(started);
      return started;
    },
    processes: () => background,
    read: async (path, range) => await readSlice(await insideOf(folder, path), range),
    write: async (path, bytes) => await writeWhole(await insideOf(folder, path), bytes),
    list: async (path, limit) => {
      const inside = await insideOf(folder, path);
      const entries = (await readdir(inside, { withFileTypes: true })).slice(0, limit);
      return await Promise.all(
        entries.map(async (entry) => {
          const { size, mtimeMs } = await stat(join(inside, entry.name));
          return { name: entry.name, kind: entry.isDirectory() ? "folder" : "file", size, changedAt: mtimeMs } as const;
        }),
      );
    },
    // No tool takes one.
    snapshot: async () => undefined,
    restore: async () => undefined,
    async [Symbol.asyncDispose]() {
      await Promise.all([shell.end(), ...background.map((one) => one.kill())]);
      for (const one of [folder, bin]) await rm(one, { recursive: true, force: true });
    },
  };
}

async function readSlice(path: string, { start = 0, length }: { start?: number; length: number }): Promise<FileSlice> {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isFile()) throw invalid(`${path} is no readable file`);
  await using file = await open(path);
  const bytes = Buffer.alloc(Math.max(0, Math.min(length, info.size - start)));
  const { bytesRead } = await file.read(bytes, 0, bytes.byteLength, start);
  return { bytes: bytes.subarray(0, bytesRead), size: info.size };
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, bytes);
  await rename(`${path}.new`, path);
}

function invalid(message: string): GatewayError {
  return new GatewayError(message, { code: "invalid_request" });
}

/** The real place of a path. Refuses what leads out, also through a link. */
async function insideOf(folder: string, path: string): Promise<string> {
  const wanted = resolve(folder, path);
  let existing = wanted;
  while (!(await stat(existing).catch(() => undefined)) && existing !== dirname(existing)) existing = dirname(existing);
  const real = join(await realpath(existing), relative(existing, wanted));
  if (real !== folder && !real.startsWith(`${folder}/`)) throw invalid(`${path} is outside of the workspace`);
  return real;
}

function start({ command, folder, variables, stdin }: Command, root: string): ChildProcess {
  const [program, ...given] = typeof command === "string" ? ["/bin/bash", "-c", command] : command;
  const child = spawn(program ?? "", given, {
    cwd: resolve(root, folder ?? "."),
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: root, LANG: "C.UTF-8", ...variables },
    detached: true,
  });
  child.on("error", () => undefined);
  child.stdin?.on("error", () => undefined);
  if (stdin !== undefined) child.stdin?.end(stdin);
  return child;
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

function endOf(child: ChildProcess): Promise<CommandResult["end"]> {
  return new Promise((done) => {
    child.once("error", () => done({ kind: "exit", code: 127 }));
    child.once("close", (code, signal) =>
      done(signal === null ? { kind: "exit", code: code ?? 0 } : { kind: "signal", signal }),
    );
  });
}

async function collect(child: ChildProcess, options: CommandOptions): Promise<CommandResult> {
  const startedAt = Date.now();
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data) => {
      text += String(data);
      options.onOutput?.(String(data));
    });
  }
  child.stdin?.end();
  const stopped = Promise.withResolvers<CommandResult["end"]>();
  const timer = setTimeout(() => stopped.resolve({ kind: "timeout" }), options.timeoutMs);
  options.signal.addEventListener("abort", () => stopped.resolve({ kind: "aborted" }), { once: true });
  const end = await Promise.race([endOf(child), stopped.promise]);
  clearTimeout(timer);
  killGroup(child);
  return { ...shortened(text, options.maxOutputChars), end, durationMs: Date.now() - startedAt };
}

function shortened(text: string, maxChars: number): { output: string; leftOut: number } {
  const leftOut = Math.max(0, text.length - maxChars);
  const half = Math.floor(maxChars / 2);
  return { output: leftOut === 0 ? text : text.slice(0, half) + text.slice(text.length - half), leftOut };
}

/** One bash that stays; a line of its own tells where a command ended. */
class Shell {
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #number = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async run(command: string, options: CommandOptions): Promise<ShellResult> {
    const isNewShell = this.#child === undefined;
    this.#child ??= start({ command: ["/bin/bash", "-c", "exec /bin/bash 2>&1"] }, this.#folder);
    const child = this.#child;
    const startedAt = Date.now();
    this.#number += 1;
    const mark = `end-of-command-${this.#number}`;
    let text = "";
    let now: string | undefined;
    const settled = Promise.withResolvers<CommandResult["end"]>();
    const onData = (data: Buffer) => {
      text += String(data);
      const found = new RegExp(`\n?${mark} (\\d+) (.*)\n`).exec(text);
      if (found === null) return;
      text = text.slice(0, found.index);
      now = found[2];
      settled.resolve({ kind: "exit", code: Number(found[1]) });
    };
    child.stdout?.on("data", onData);
    void endOf(child).then(settled.resolve);
    const timer = setTimeout(() => settled.resolve({ kind: "timeout" }), options.timeoutMs);
    options.signal.addEventListener("abort", () => settled.resolve({ kind: "aborted" }), { once: true });
    child.stdin?.write(`${command}\nprintf '\\n${mark} %d %s\\n' $? "$PWD"\n`);
    const end = await settled.promise;
    clearTimeout(timer);
    child.stdout?.off("data", onData);
    if (end.kind !== "exit" || child.exitCode !== null) await this.end();
    const result = { ...shortened(text, options.maxOutputChars), end, durationMs: Date.now() - startedAt, isNewShell };
    return now === undefined ? result : { ...result, folder: now };
  }

  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined) killGroup(child);
  }
}

class LocalProcess implements BackgroundProcess {
  readonly id: string;
  readonly command: string;
  readonly startedAt = Date.now();
  readonly ended: Promise<CommandResult["end"]>;
  end?: CommandResult["end"];
  readonly #child: ChildProcess;
  #text = "";

  constructor(id: string, command: Command, folder: string) {
    this.id = id;
    this.command = String(command.command);
    this.#child = start(command, folder);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (data) => (this.#text += String(data)));
    }
    this.ended = endOf(this.#child).then((end) => {
      this.end = end;
      return end;
    });
  }

  output(): { readonly text: string; readonly leftOut: number } {
    return { text: this.#text.slice(-20_000), leftOut: Math.max(0, this.#text.length - 20_000) };
  }

  async write(text: string): Promise<void> {
    this.#child.stdin?.write(text);
  }

  async kill(): Promise<void> {
    killGroup(this.#child);
    await this.ended;
  }
}
