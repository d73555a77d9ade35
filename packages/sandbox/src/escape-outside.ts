import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import type { EscapeTargets } from "./escapes.ts";

/** A variable that the test's process has, as the worker has its own. */
export const canary = { name: "CANARY_VARIABLE", value: "canary-value" };
export const secret = ["a", "canary", "to", "find"].join("-");
const victimWord = "victim-word";

/** What is outside while attempts are made: a file, a process, listeners. It notices who connects. */
export class Outside {
  readonly targets: EscapeTargets;
  readonly #victim: ChildProcess;
  readonly #servers: readonly Server[];
  readonly #connections: { count: number };

  private constructor(
    targets: EscapeTargets,
    victim: ChildProcess,
    servers: readonly Server[],
    connections: { count: number },
  ) {
    this.targets = targets;
    this.#victim = victim;
    this.#servers = servers;
    this.#connections = connections;
  }

  static async begin(folder: string, dataFolder: string): Promise<Outside> {
    const openFolder = join(folder, "open");
    await mkdir(openFolder, { recursive: true });
    await chmod(folder, 0o755);
    await chmod(openFolder, 0o777);
    const secretFile = join(folder, "secret");
    await writeFile(secretFile, secret);
    await chmod(secretFile, 0o666);
    await writeFile(join(openFolder, "program"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const victim = spawn("sh", ["-c", "while :; do sleep 1; done", victimWord], {
      env: { PATH: "/usr/bin:/bin", [canary.name]: canary.value },
      detached: true,
      stdio: "ignore",
    });
    await once(victim, "spawn");
    const connections = { count: 0 };
    const listen = async (where: number | string) => {
      const server = createServer((socket) => {
        connections.count += 1;
        socket.destroy();
      }).listen(where);
      await once(server, "listening");
      return server;
    };
    const socketFile = join(folder, "socket");
    const abstractSocket = `talaria-escape-${victim.pid}`;
    const tcp = await listen(0);
    const servers = [tcp, await listen(socketFile), await listen(`\0${abstractSocket}`)];
    await chmod(socketFile, 0o777);
    const address = tcp.address();
    const targets = {
      ...{ secretFile, secret, openFolder, dataFolder, otherFile: `${dataFolder}/*/files/own` },
      ...{ variable: canary.name, value: canary.value, victim: victim.pid ?? 0, victimWord },
      ...{ tcpPort: typeof address === "object" && address !== null ? address.port : 0, ownAddress: ownAddress() },
      ...{ socketFile, abstractSocket },
    };
    return new Outside(targets, victim, servers, connections);
  }

  get connections(): number {
    return this.#connections.count;
  }

  get isVictimAlive(): boolean {
    return this.#victim.exitCode === null && this.#victim.signalCode === null;
  }

  async end(): Promise<void> {
    if (this.isVictimAlive && this.#victim.pid !== undefined) process.kill(-this.#victim.pid, "SIGKILL");
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flat();
  return all.find((entry) => entry?.family === "IPv4" && !entry.internal)?.address ?? "127.0.0.2";
}
