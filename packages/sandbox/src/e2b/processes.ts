import type { Sandbox } from "e2b";
import type { RemoteEnd } from "../remote/remote-machine.ts";

/** What a process tells, one field at a time. */
export interface ProcessEvent {
  readonly pid?: number;
  readonly stdout?: Uint8Array;
  readonly stderr?: Uint8Array;
  readonly end?: { readonly exitCode: number; readonly exited: boolean; readonly status: string };
}

export interface ProcessClient {
  /** The first event has `pid`, the last one `end`. */
  start(command: string, signal: AbortSignal): AsyncIterable<ProcessEvent>;
  sendInput(pid: number, bytes: Uint8Array): Promise<void>;
  closeInput(pid: number): Promise<void>;
  kill(pid: number): Promise<void>;
}

/** `process.Process` of https://github.com/e2b-dev/E2B/blob/main/spec/envd/process/process.proto */
interface GeneratedClient {
  start(request: object, options: object): AsyncIterable<{ readonly event?: { readonly event: GeneratedEvent } }>;
  sendInput(request: object, options: object): Promise<unknown>;
  closeStdin(request: object, options: object): Promise<unknown>;
  sendSignal(request: object, options: object): Promise<unknown>;
}

type GeneratedEvent =
  | { readonly case: "start"; readonly value: { readonly pid: number } }
  | {
      readonly case: "data";
      readonly value: { readonly output: { readonly case: string; readonly value: Uint8Array } };
    }
  | { readonly case: "end"; readonly value: NonNullable<ProcessEvent["end"]> }
  | { readonly case: "keepalive" | undefined };

/** So that proxies in between see that somebody is still there. In seconds. */
const keepAlive = { "Keepalive-Ping-Interval": "50" };
const requestTimeoutMs = 30_000;
const sigkill = 9;

/**
 * The SDK's own client beneath its `commands`: those keep everything that a command has said, without a bound, and hand it on as
 * text, in which bytes that are none are lost.
 */
export function processesOf(sandbox: Sandbox): ProcessClient {
  const { rpc } = sandbox.commands as unknown as { readonly rpc: GeneratedClient };
  const one = (pid: number) => ({ process: { selector: { case: "pid", value: pid } } });
  const soon = () => ({ signal: AbortSignal.timeout(requestTimeoutMs) });
  return {
    start: async function* (command, signal) {
      const process = { cmd: "/bin/sh", args: ["-c", command], envs: {} };
      for await (const { event } of rpc.start({ process, stdin: true }, { headers: keepAlive, signal }))
        yield toProcessEvent(event?.event);
    },
    sendInput: async (pid, bytes) => {
      await rpc.sendInput({ ...one(pid), input: { input: { case: "stdin", value: bytes } } }, soon());
    },
    closeInput: async (pid) => {
      await rpc.closeStdin(one(pid), soon());
    },
    kill: async (pid) => {
      await rpc.sendSignal({ ...one(pid), signal: sigkill }, soon());
    },
  };
}

function toProcessEvent(event: GeneratedEvent | undefined): ProcessEvent {
  switch (event?.case) {
    case "start":
      return { pid: event.value.pid };
    case "data": {
      const { case: kind, value } = event.value.output;
      return kind === "stderr" ? { stderr: value } : kind === "stdout" ? { stdout: value } : {};
    }
    case "end":
      return { end: event.value };
    default:
      return {};
  }
}

/** `status` is what Go's os.ProcessState says: `exit status 1`, `signal: killed`. Names of signals as in Go's syscall for Linux. */
const signals: Readonly<Record<string, string>> = {
  hangup: "SIGHUP",
  interrupt: "SIGINT",
  quit: "SIGQUIT",
  "illegal instruction": "SIGILL",
  "trace/breakpoint trap": "SIGTRAP",
  aborted: "SIGABRT",
  "bus error": "SIGBUS",
  "floating point exception": "SIGFPE",
  killed: "SIGKILL",
  "user defined signal 1": "SIGUSR1",
  "segmentation fault": "SIGSEGV",
  "user defined signal 2": "SIGUSR2",
  "broken pipe": "SIGPIPE",
  "alarm clock": "SIGALRM",
  terminated: "SIGTERM",
};

export function toEnd({ exitCode, exited, status }: NonNullable<ProcessEvent["end"]>): RemoteEnd {
  const [, name] = /^signal: ([^(]*?)(?: \(core dumped\))?$/.exec(status) ?? [];
  if (exited || name === undefined) return { code: exitCode };
  return { signal: signals[name] ?? "SIGKILL" };
}

/** The code by which Connect tells that nobody is there: https://connectrpc.com/docs/protocol#http-to-error-code */
const unavailable = 14;
/** There was no connection, as undici and the system say it. */
const unreached: readonly unknown[] = ["UND_ERR_CONNECT_TIMEOUT", "ECONNREFUSED", "EAI_AGAIN"];

/** Whether the request reached no sandbox, so that it can be made again. */
export function isUnreached(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && (cause.code === unavailable || unreached.includes(cause.code))) return true;
  return false;
}
