import { type ChildProcess, spawn } from "node:child_process";
import type { ServerResponse } from "node:http";

interface StartRequest {
  readonly process: { readonly cmd: string; readonly args?: readonly string[]; readonly envs?: Record<string, string> };
  readonly stdin?: boolean;
}

interface OneRequest {
  readonly process: { readonly pid: number };
  readonly input?: { readonly stdin?: string };
  readonly signal?: string;
}

/** Names that Go gives to signals. */
const signalNames: Readonly<Record<string, string>> = {
  SIGTERM: "terminated",
  SIGKILL: "killed",
  SIGXFSZ: "file size limit exceeded",
};

/**
 * The daemon in a sandbox, by Connect's protocol with JSON: https://connectrpc.com/docs/protocol. What it tells of a process' end is
 * as https://github.com/e2b-dev/infra has it in `packages/envd/internal/services/process`.
 */
export class FakeProcesses {
  readonly #running = new Map<number, ChildProcess>();
  readonly #hasNetwork: boolean;

  constructor(hasNetwork: boolean) {
    this.#hasNetwork = hasNetwork;
  }

  killAll(): void {
    for (const child of this.#running.values()) child.kill("SIGKILL");
  }

  answer(method: string, body: Buffer, response: ServerResponse): unknown {
    if (method === "Start") return this.#start(JSON.parse(body.subarray(5).toString()), response);
    const request = JSON.parse(body.toString()) as OneRequest;
    const child = this.#running.get(request.process.pid);
    if (child === undefined) return failed(response, 404, "not_found");
    switch (method) {
      case "SendInput":
        child.stdin?.write(Buffer.from(request.input?.stdin ?? "", "base64"));
        return done(response);
      case "CloseStdin":
        child.stdin?.end();
        return done(response);
      case "SendSignal":
        child.kill(request.signal === "SIGNAL_SIGKILL" ? "SIGKILL" : "SIGTERM");
        return done(response);
      default:
        return failed(response, 404, "unimplemented");
    }
  }

  #start({ process: { cmd, args = [], envs = {} }, stdin }: StartRequest, response: ServerResponse): unknown {
    const [program = "", ...argv] = [...(this.#hasNetwork ? [] : withoutNetwork()), cmd, ...args];
    const child = spawn(program, argv, {
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/tmp", ...envs },
      cwd: "/tmp",
      stdio: [stdin === false ? "ignore" : "pipe", "pipe", "pipe"],
    });
    child.stdin?.on("error", () => undefined);
    const { pid } = child;
    if (pid === undefined) return failed(response, 500, "internal");
    this.#running.set(pid, child);
    response.writeHead(200, { "content-type": "application/connect+json" });
    const tell = (event: object) => response.write(envelope(0, { event }));
    tell({ start: { pid } });
    for (const name of ["stdout", "stderr"] as const)
      child[name]?.on("data", (bytes: Buffer) => {
        if (tell({ data: { [name]: bytes.toString("base64") } })) return;
        child[name]?.pause();
        response.once("drain", () => child[name]?.resume());
      });
    response.once("close", () => child.stdout?.resume());
    child.once("close", (code, signal) => {
      this.#running.delete(pid);
      const status = signal === null ? `exit status ${code}` : `signal: ${signalNames[signal] ?? "killed"}`;
      // What is 0 or false is left out, as protobuf has it.
      const end = { ...(code === 0 ? {} : { exitCode: code ?? -1 }), ...(signal === null && { exited: true }), status };
      tell({ end });
      response.end(envelope(2, {}));
    });
    return undefined;
  }
}

function withoutNetwork(): readonly string[] {
  const rights = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  return ["unshare", ...rights, "--net", "--"];
}

function envelope(flags: number, message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

function done(response: ServerResponse): unknown {
  response.writeHead(200, { "content-type": "application/json" });
  return response.end("{}");
}

function failed(response: ServerResponse, status: number, code: string): unknown {
  response.writeHead(status, { "content-type": "application/json" });
  return response.end(JSON.stringify({ code, message: code }));
}
