import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { PassThrough, type Readable } from "node:stream";
import { type ServerUnaryCall, type ServerWritableStream, status } from "@grpc/grpc-js";
import { fault, type Methods, unary } from "./fake-calls.fixture.ts";

interface ExecRequest {
  readonly taskId: string;
  readonly execId: string;
}

interface Exec {
  readonly child: ChildProcess;
  /** Node.js throws away what nobody has read when a process ends, so it is kept here. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<{ readonly code: number } | { readonly signal: number }>;
}

/** What runs in one sandbox: processes of this machine, without a network where that was asked for. */
export class FakeTask {
  readonly token: string;
  readonly #execs = new Map<string, Exec>();
  readonly #hasNetwork: boolean;
  #hasEnded = false;

  constructor(token: string, hasNetwork: boolean) {
    this.token = token;
    this.#hasNetwork = hasNetwork;
  }

  end(): void {
    this.#hasEnded = true;
    for (const { child } of this.#execs.values()) child.kill("SIGKILL");
  }

  start(execId: string, command: readonly string[]): void {
    if (this.#hasEnded) throw fault(status.NOT_FOUND, "the sandbox has ended");
    const [program = "", ...argv] = [...(this.#hasNetwork ? [] : withoutNetwork()), ...command];
    const child = spawn(program, argv, {
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/tmp" },
      cwd: "/tmp",
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.on("error", () => undefined);
    const exited = once(child, "exit").then(([code, signal]) =>
      signal === null ? { code } : { signal: constants.signals[signal as NodeJS.Signals] },
    );
    const [stdout, stderr] = [child.stdout.pipe(new PassThrough()), child.stderr.pipe(new PassThrough())];
    this.#execs.set(execId, { child, stdout, stderr, exited });
  }

  exec(execId: string): Exec {
    const exec = this.#execs.get(execId);
    if (exec === undefined) throw fault(status.NOT_FOUND, `there is no process ${execId}`);
    return exec;
  }

  async wait(execId: string) {
    const end = await this.exec(execId).exited;
    // As a host that is gone: it answers nothing more.
    if (this.#hasEnded) await new Promise(() => undefined);
    return end;
  }
}

/** The router of all sandboxes. `tasks` by the id of the task. */
export function fakeRouter(tasks: ReadonlyMap<string, FakeTask>): Methods {
  const taskOf = ({
    request,
    metadata,
  }: ServerUnaryCall<ExecRequest, object> | ServerWritableStream<ExecRequest, object>) => {
    const task = tasks.get(request.taskId);
    if (task === undefined) throw fault(status.NOT_FOUND, `there is no task ${request.taskId}`);
    if (metadata.get("authorization")[0] !== `Bearer ${task.token}`) throw fault(status.UNAUTHENTICATED, "wrong token");
    return task;
  };
  return {
    TaskExecStart: unary<ExecRequest & { readonly commandArgs: readonly string[] }>((request, call) => {
      taskOf(call).start(request.execId, request.commandArgs);
      return {};
    }),
    TaskExecStdinWrite: unary<ExecRequest & { readonly data: Buffer; readonly eof: boolean }>(
      async ({ execId, data, eof }, call) => {
        const { stdin } = taskOf(call).exec(execId).child;
        if (stdin?.writable && data.length > 0 && !stdin.write(data)) {
          const over = new AbortController();
          const either = ["drain", "close"].map((event) => once(stdin, event, { signal: over.signal }));
          await Promise.race(either).finally(() => over.abort());
        }
        if (eof) stdin?.end();
        return {};
      },
    ),
    TaskExecWait: unary<ExecRequest>((request, call) => taskOf(call).wait(request.execId)),
    TaskExecStdioRead: (call: ServerWritableStream<ExecRequest & { readonly fileDescriptor: number }, object>) => {
      try {
        const { stdout, stderr } = taskOf(call).exec(call.request.execId);
        hand(call.request.fileDescriptor === 1 ? stderr : stdout, call);
      } catch (error) {
        call.emit("error", error);
      }
    },
  };
}

function hand(from: Readable, call: ServerWritableStream<ExecRequest, object>): void {
  from.on("data", (data: Buffer) => {
    if (call.cancelled || call.write({ data })) return;
    from.pause();
    call.once("drain", () => from.resume());
  });
  from.once("end", () => call.end());
  call.once("cancelled", () => from.resume());
}

function withoutNetwork(): readonly string[] {
  const rights = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  return ["unshare", ...rights, "--net", "--"];
}
