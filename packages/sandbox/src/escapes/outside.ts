import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { access, chmod, glob, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import type { EscapeTargets } from "./escape.ts";

function newCanary(): string {
  return `canary-${randomBytes(12).toString("hex")}`;
}

/** A variable that the test's process has, as the worker has its own. */
export const canary = { name: "CANARY_VARIABLE", value: newCanary() };
/** What files outside hold. No command knows it. */
export const secret = newCanary();
const victimWord = "victim-word";

/** What the attempts would make if they could, and what of the machine they would change. */
const newFiles = [
  ...["/new", "/etc/new", "/etc/ld.so.preload", "/etc/cron.d/new", "/usr/bin/new", "/usr/local/bin/new"],
  ...["/var/tmp/talaria-new", "/dev/new", "/sys/fs/cgroup/new", "/sys/fs/cgroup/memory/new"],
];
const settings = [
  "/proc/sys/kernel/core_pattern",
  "/proc/sys/kernel/modprobe",
  "/proc/sys/vm/overcommit_memory",
  "/proc/sys/kernel/hostname",
];

export interface OutsideOptions {
  readonly folder: string;
  /** Where the backend keeps workspaces. */
  readonly dataFolder: string;
  /** Only the worker's account may use what lies there. Otherwise every account may, and only the boundary is in between. */
  readonly isPrivate?: boolean;
}

/** What is outside while attempts are made: files, a process, listeners, the machine. It tells what became of them. */
export class Outside {
  readonly targets: EscapeTargets;
  readonly #victim: ChildProcess;
  readonly #servers: readonly { close(done: () => void): unknown }[];
  readonly #noticed: { connections: number; datagrams: number };

  private constructor(
    targets: EscapeTargets,
    victim: ChildProcess,
    servers: readonly { close(done: () => void): unknown }[],
    noticed: { connections: number; datagrams: number },
  ) {
    this.targets = targets;
    this.#victim = victim;
    this.#servers = servers;
    this.#noticed = noticed;
  }

  static async begin({ folder, dataFolder, isPrivate = false }: OutsideOptions): Promise<Outside> {
    const openFolder = join(folder, "open");
    await mkdir(openFolder, { recursive: true });
    await chmod(folder, 0o755);
    await chmod(openFolder, isPrivate ? 0o700 : 0o777);
    const secretFile = join(folder, "secret");
    await writeFile(secretFile, secret);
    await chmod(secretFile, isPrivate ? 0o600 : 0o666);
    await writeFile(join(openFolder, "program"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const victim = spawn("sh", ["-c", "while :; do sleep 1; done", victimWord], {
      env: { PATH: "/usr/bin:/bin", [canary.name]: canary.value },
      detached: true,
      stdio: "ignore",
    });
    await once(victim, "spawn");
    const noticed = { connections: 0, datagrams: 0 };
    const listen = async (where: number | string) => {
      const server = createServer((socket) => {
        noticed.connections += 1;
        socket.on("error", () => undefined).end(secret);
      }).listen(where);
      await once(server, "listening");
      return server;
    };
    const socketFile = join(folder, "socket");
    const abstractSocket = `talaria-escape-${victim.pid}`;
    const tcp = await listen(0);
    const udp = createSocket("udp4", (_, from) => {
      noticed.datagrams += 1;
      udp.send(secret, from.port, from.address);
    });
    udp.bind(0);
    await once(udp, "listening");
    const servers = [tcp, udp, await listen(socketFile), await listen(`\0${abstractSocket}`)];
    await chmod(socketFile, isPrivate ? 0o700 : 0o777);
    const targets = {
      ...{ secretFile, openFolder, dataFolder, otherFile: `${dataFolder}/*/files/own` },
      ...{ variable: canary.name, worker: process.pid, victim: victim.pid ?? 0, victimWord },
      ...{ tcpPort: portOf(tcp), udpPort: udp.address().port, ownAddress: ownAddress() },
      ...{ socketFile, abstractSocket },
    };
    return new Outside(targets, victim, servers, noticed);
  }

  get isVictimAlive(): boolean {
    return this.#victim.exitCode === null && this.#victim.signalCode === null;
  }

  /** What an attempt that got out would change, by name. Two that are equal: it changed nothing. */
  async look(): Promise<Readonly<Record<string, string>>> {
    const { secretFile, openFolder, otherFile, victim } = this.targets;
    const others: string[] = [];
    for await (const path of glob(`${otherFile}*`)) others.push(path);
    const values: Record<string, string> = {
      "the file outside": `${await textOf(secretFile)} ${await modeOf(secretFile)}`,
      "the folder outside": (await readdir(openFolder).catch(() => [])).sort().join(" "),
      "files of another session": others.sort().join(" "),
      "connections to listeners": `${this.#noticed.connections}`,
      "datagrams to a listener": `${this.#noticed.datagrams}`,
      "the process outside": this.isVictimAlive ? await stateOf(victim) : "gone",
      "its limits": await textOf(`/proc/${victim}/limits`),
      "its order of being killed": await textOf(`/proc/${victim}/oom_score_adj`),
      "a program's mode": await modeOf("/usr/bin/env"),
      "a program": await modeOf("/usr/bin/yes"),
    };
    for (const path of newFiles) values[path] = await isThere(path);
    for (const path of settings) values[path] = await textOf(path);
    return values;
  }

  async end(): Promise<void> {
    if (this.isVictimAlive && this.#victim.pid !== undefined) process.kill(-this.#victim.pid, "SIGKILL");
    await Promise.all(this.#servers.map((server) => new Promise<void>((resolve) => server.close(resolve))));
  }
}

/** Stopped or not, and how nice: fields 3 and 19 of proc_pid_stat(5). */
async function stateOf(pid: number): Promise<string> {
  const [, after = ""] = (await textOf(`/proc/${pid}/stat`)).split(") ");
  const fields = after.split(" ");
  return `${/^[Tt]$/.test(fields[0] ?? "") ? "stopped" : "runs"}, nice ${fields[16]}`;
}

function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "unreadable");
}

function modeOf(path: string): Promise<string> {
  return stat(path).then(
    ({ mode }) => mode.toString(8),
    () => "missing",
  );
}

function isThere(path: string): Promise<string> {
  return access(path).then(
    () => "there",
    () => "missing",
  );
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flat();
  return all.find((entry) => entry?.family === "IPv4" && !entry.internal)?.address ?? "127.0.0.2";
}
