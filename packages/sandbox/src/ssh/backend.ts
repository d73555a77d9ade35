import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { PassThrough } from "node:stream";
import { GatewayError } from "@talaria/protocol";
import type { SandboxLimits, SshSettings } from "../config.ts";
import { folderName } from "../host-folder.ts";
import type { Backend, Place, Program, ProgramEnd, RunningProgram } from "../place.ts";
import { quote } from "../quote.ts";
import { killMarkedScript, markName } from "../remote-kill.ts";
import { Connections, type RunningCommand } from "./connections.ts";

const maxComplaint = 1_000;

/**
 * Another machine, given up to the agent: the account there is the boundary, and sees its own files and network. Its shell
 * must be one of `sh`'s kind.
 */
export function createSshBackend(settings: SshSettings & { readonly folder: string }, limits: SandboxLimits): Backend {
  const connections = new Connections(settings);
  const places = new Set<SshPlace>();
  return {
    description: `ssh, ${settings.user}@${settings.host}`,
    start: async () => {
      if (!posix.isAbsolute(settings.folder))
        throw new GatewayError(`the folder on ${settings.host} must be an absolute path, not ${settings.folder}`, {
          code: "unsupported",
        });
      await ask(connections, `mkdir -p ${quote(settings.folder)}`);
    },
    open: async (sessionKey) => {
      const root = posix.join(settings.folder, folderName(sessionKey));
      const answer = await ask(
        connections,
        `mkdir -p -m 700 ${quote(root)} && cd ${quote(root)} && mkdir -p files && cd files && pwd -P && { [ -x /bin/bash ] && echo bash || echo sh; }`,
      );
      const [folder = "", shell] = answer.trim().split("\n");
      const place = new SshPlace(
        connections,
        settings.host,
        folder,
        shell === "bash" ? "/bin/bash" : "/bin/sh",
        limits,
      );
      places.add(place);
      return place;
    },
    stop: async () => {
      await Promise.all([...places].map((place) => place.close()));
      places.clear();
      connections.close();
    },
  };
}

class SshPlace implements Place {
  readonly folder: string;
  readonly shell: Place["shell"];
  readonly #connections: Connections;
  readonly #host: string;
  readonly #limits: SandboxLimits;
  readonly #running = new Set<RunningProgram>();

  constructor(connections: Connections, host: string, folder: string, shell: Place["shell"], limits: SandboxLimits) {
    this.#connections = connections;
    this.#host = host;
    this.folder = folder;
    this.shell = shell;
    this.#limits = limits;
  }

  async launch(program: Program): Promise<RunningProgram> {
    const mark = randomBytes(12).toString("hex");
    const command = await this.#connections.run(this.#commandLine(program, mark));
    const { channel } = command;
    // A channel passes on what it reads only while somebody takes it; what nobody listens to yet waits in here.
    const output = new PassThrough();
    channel.on("data", (bytes: Buffer) => {
      if (!output.writableEnded) output.write(bytes);
    });
    const killing: { isBegun: boolean; reason?: string } = { isBegun: false };
    const ended = endOf(command, this.#host, killing).finally(() => output.end());
    let killed: Promise<void> | undefined;
    const running: RunningProgram = {
      stdin: channel.stdin,
      output,
      ended,
      kill: (why) => {
        killing.isBegun = true;
        if (why !== undefined) killing.reason ??= `killed: ${why}`;
        killed ??= ask(this.#connections, killMarkedScript(mark))
          .catch(() => undefined)
          .then(() => {
            channel.close();
          });
        return killed;
      },
    };
    this.#running.add(running);
    void ended.then(() => this.#running.delete(running));
    return running;
  }

  async usedBytes(): Promise<number | undefined> {
    const answer = await ask(this.#connections, `du -sk ${quote(this.folder)} 2>/dev/null | cut -f 1`);
    return /^\d+\n$/.test(answer) ? Number(answer) * 1024 : undefined;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((program) => program.kill()));
  }

  /** `exec` all the way: the program is the session's and the group's first process. */
  #commandLine({ argv, folder, variables }: Program, mark: string): string {
    const all = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: this.folder, LANG: "C.UTF-8", ...variables };
    // The mark stands first: busybox' grep sees no further.
    const environment = Object.entries({ [markName]: mark, ...all }).map(([name, value]) => quote(`${name}=${value}`));
    const { memoryMb, processes, quotaMb } = this.#limits;
    const mebibyte = 1024 * 1024;
    // The kernel counts an account's processes together, and none of root's.
    const limited = `if command -v prlimit >/dev/null; then exec prlimit --data=${memoryMb * mebibyte} --fsize=${quotaMb * mebibyte} --nproc=${processes} --core=0 -- "$@" 2>&1; else exec "$@" 2>&1; fi`;
    const words = ["env", "-i", ...environment, "/bin/sh", "-c", quote(limited), "sh", ...argv.map(quote)];
    return `cd ${quote(folder)} && exec ${words.join(" ")}`;
  }
}

function programEnd({ code, signal = "KILL" }: NonNullable<RunningCommand["exit"]>): ProgramEnd {
  return code === null ? { signal: `SIG${signal.replace(/^SIG/, "")}` } : { code };
}

function endOf(
  command: RunningCommand,
  host: string,
  killing: { readonly isBegun: boolean; readonly reason?: string },
): Promise<ProgramEnd> {
  const { channel } = command;
  let complaint = "";
  channel.stderr.on("data", (bytes: Buffer) => {
    if (complaint.length < maxComplaint) complaint += bytes.toString();
  });
  return new Promise((resolve) => {
    channel.once("close", () => {
      const end = command.exit && programEnd(command.exit);
      const { isBegun, reason } = killing;
      if (isBegun) resolve({ signal: "SIGKILL", ...(reason !== undefined && { reason }) });
      else if (end === undefined) resolve({ signal: "SIGHUP", reason: `the connection to ${host} was lost` });
      else resolve({ ...end, ...(complaint !== "" && { reason: `it could not be run: ${complaint.trim()}` }) });
    });
  });
}

const maxAnswer = 10_000;

/** What a short command of ours prints. Throws `unavailable` unless it succeeds. */
async function ask(connections: Connections, command: string): Promise<string> {
  const running = await connections.run(command);
  const { channel } = running;
  let answer = "";
  for (const stream of [channel, channel.stderr])
    stream.on("data", (bytes: Buffer) => {
      if (answer.length < maxAnswer) answer += bytes.toString();
    });
  const code = await new Promise<number | null | undefined>((resolve) => {
    channel.once("close", () => resolve(running.exit?.code));
    channel.end();
  });
  if (code === 0) return answer;
  throw new GatewayError(`a command on the other machine failed: ${answer.trim().slice(0, 300)}`, {
    code: "unavailable",
  });
}
