import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import type { Clock } from "@talaria/protocol";
import type { Author, SandboxLimits } from "../config.ts";
import { folderName } from "../host-folder.ts";
import type { Place, Program, ProgramEnd, RunningProgram } from "../place.ts";
import { before } from "../program-end.ts";
import { quote } from "../quote.ts";
import { commonVariables, gitConfig, gitVariable } from "../surroundings.ts";
import { killMarkedScript, markName } from "./remote-kill.ts";
import { ask, type RemoteCommand, type RemoteMachine } from "./remote-machine.ts";

/** After each look for the processes of a program that is killed, the time in which it has to end; the last is for a busy machine. */
const patienceMs = [100, 200, 400, 800, 1_600];
/** A machine that takes longer to be looked at has gone silent, and is not asked again. */
const silentMs = 5_000;

export interface RemoteSurroundings {
  readonly author?: Author | undefined;
  /** Of every program. */
  readonly variables?: (home: string) => Readonly<Record<string, string>>;
}

/** Makes the session's folder below `base` on the machine. Throws `unavailable`. */
export async function openRemotePlace(
  machine: RemoteMachine,
  base: string,
  sessionKey: string,
  limits: SandboxLimits,
  clock: Clock,
  { author, variables = () => ({}) }: RemoteSurroundings = {},
): Promise<RemotePlace> {
  const root = posix.join(base, folderName(sessionKey));
  const answer = await ask(
    machine,
    `mkdir -p -m 700 ${quote(root)} && cd ${quote(root)} && printf %s ${quote(gitConfig(author))} >gitconfig && mkdir -p -m 700 tmp && rm -f tmp/.shell-* && mkdir -p files && cd files && pwd -P && { [ -x /bin/bash ] && echo bash || echo sh; }`,
  );
  const [folder = "", shell] = answer.trim().split("\n");
  return new RemotePlace(machine, folder, shell === "bash" ? "/bin/bash" : "/bin/sh", limits, clock, variables);
}

/** A session's room on a machine of which nothing but its shell is known. Programs are found again by a variable. */
export class RemotePlace implements Place {
  readonly folder: string;
  readonly tmp: string;
  readonly shell: Place["shell"];
  readonly #machine: RemoteMachine;
  readonly #variables: NonNullable<RemoteSurroundings["variables"]>;
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;
  readonly #running = new Set<RunningProgram>();

  constructor(
    machine: RemoteMachine,
    folder: string,
    shell: Place["shell"],
    limits: SandboxLimits,
    clock: Clock,
    variables: NonNullable<RemoteSurroundings["variables"]>,
  ) {
    this.#machine = machine;
    this.#variables = variables;
    this.folder = folder;
    this.tmp = posix.join(posix.dirname(folder), "tmp");
    this.shell = shell;
    this.#limits = limits;
    this.#clock = clock;
  }

  async launch(program: Program): Promise<RunningProgram> {
    const mark = randomBytes(12).toString("hex");
    const command = await this.#machine.run(this.#commandLine(program, mark), program.stderr);
    const killing: { isBegun: boolean; reason?: string } = { isBegun: false };
    const ended = endOf(command, this.#machine.name, killing);
    let killed: Promise<void> | undefined;
    const running: RunningProgram = {
      stdin: command.stdin,
      output: command.output,
      ...(command.errors && { errors: command.errors }),
      ended,
      kill: (why) => {
        killing.isBegun = true;
        if (why !== undefined) killing.reason ??= `killed: ${why}`;
        killed ??= this.#kill(command, mark);
        return killed;
      },
    };
    this.#running.add(running);
    void ended.then(() => this.#running.delete(running));
    return running;
  }

  async usedBytes(): Promise<number | undefined> {
    const answer = await ask(this.#machine, `du -sk ${quote(this.folder)} 2>/dev/null | cut -f 1`);
    return /^\d+\n$/.test(answer) ? Number(answer) * 1024 : undefined;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((program) => program.kill()));
  }

  /** What was begun a moment ago may not bear its mark yet, so it is looked for until it has ended. */
  async #kill(command: RemoteCommand, mark: string): Promise<void> {
    for (const ms of patienceMs) {
      const askedAt = this.#clock.elapsed();
      const isReached = await ask(this.#machine, killMarkedScript(mark)).then(
        () => true,
        () => this.#clock.elapsed() - askedAt < silentMs,
      );
      if (!isReached) break;
      if ((await before(command.ended, ms, this.#clock)) !== "timeout") break;
    }
    command.close();
  }

  /** `exec` all the way: the program is the session's and the group's first process. */
  #commandLine({ argv, folder, variables, stderr }: Program, mark: string): string {
    const gitFile = posix.join(posix.dirname(this.folder), "gitconfig");
    const own = { ...commonVariables(this.folder), [gitVariable]: gitFile, ...this.#variables(this.folder) };
    const all = { ...own, ...variables };
    // The mark stands first: busybox' grep sees no further.
    const environment = Object.entries({ [markName]: mark, ...all }).map(([name, value]) => quote(`${name}=${value}`));
    const { memoryMb, processes, quotaMb } = this.#limits;
    const mebibyte = 1024 * 1024;
    const program = stderr === "apart" ? '"$@"' : '"$@" 2>&1';
    // The kernel counts an account's processes together, and none of root's.
    const limited = `if command -v prlimit >/dev/null; then exec prlimit --data=${memoryMb * mebibyte} --fsize=${quotaMb * mebibyte} --nproc=${processes} --core=0 -- ${program}; else exec ${program}; fi`;
    const words = ["env", "-i", ...environment, "/bin/sh", "-c", quote(limited), "sh", ...argv.map(quote)];
    return `cd ${quote(folder)} && exec ${words.join(" ")}`;
  }
}

async function endOf(
  command: RemoteCommand,
  machine: string,
  killing: { readonly isBegun: boolean; readonly reason?: string },
): Promise<ProgramEnd> {
  const end = await command.ended;
  const { isBegun, reason } = killing;
  if (isBegun) return { signal: "SIGKILL", ...(reason !== undefined && { reason }) };
  if (end === undefined) return { signal: "SIGHUP", reason: `the connection to ${machine} was lost` };
  const complaint = command.complaint().trim();
  return { ...end, ...(complaint !== "" && { reason: `it could not be run: ${complaint}` }) };
}
