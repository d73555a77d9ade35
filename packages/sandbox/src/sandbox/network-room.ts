import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { GatewayError } from "@talaria/protocol";
import type { Account } from "./account.ts";
import type { Proxy } from "./proxy.ts";

/** Where commands find the proxy. */
export const proxyPort = 3128;

/**
 * The network of one session: a namespace of its own with a loopback device and, where hosts are allowed, a port that leads
 * to the proxy. It outlives single commands, so that one can talk to a server that another has begun.
 */
export class NetworkRoom {
  readonly #process: ChildProcess;
  /** The process whose namespaces commands enter, as this machine numbers it. */
  readonly pid: number;

  private constructor(process: ChildProcess, pid: number) {
    this.#process = process;
    this.pid = pid;
  }

  /** Throws `unavailable` with what bubblewrap said. */
  static async open(account: Account, proxy: Proxy | undefined): Promise<NetworkRoom> {
    const room = spawn("bwrap", [...roomArguments(proxy), "--", ...keeper(proxy)], {
      ...account.credentials,
      cwd: "/",
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      detached: true,
    });
    const complaint = textOf(room, 2);
    const information = textOf(room, 3);
    const failed = once(room, "error").then(([cause]) => {
      throw new GatewayError("bwrap could not be started; install the package bubblewrap", {
        code: "unavailable",
        cause,
      });
    });
    const pid = Number(/"child-pid": (\d+)/.exec(await Promise.race([information, failed]))?.[1]);
    if (!Number.isSafeInteger(pid))
      throw new GatewayError(`bubblewrap could not make a namespace: ${(await complaint).trim().slice(0, 500)}`, {
        code: "unavailable",
      });
    return new NetworkRoom(room, pid);
  }

  get isOpen(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await gone;
  }
}

/** No `--dev`: it would put the network under a second user namespace, which nobody outside can enter. */
function roomArguments(proxy: Proxy | undefined): readonly string[] {
  return [
    ...["--unshare-user", "--unshare-net", "--unshare-pid", "--die-with-parent", "--cap-drop", "ALL", "--clearenv"],
    ...["--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"],
    ...["--proc", "/proc", ...(proxy === undefined ? [] : ["--bind", proxy.socket, "/proxy.socket"])],
    ...["--info-fd", "3"],
  ];
}

function keeper(proxy: Proxy | undefined): readonly string[] {
  if (proxy === undefined) return ["/usr/bin/sleep", "infinity"];
  const listen = `TCP4-LISTEN:${proxyPort},bind=127.0.0.1,fork,reuseaddr,max-children=64`;
  return ["/usr/bin/socat", listen, "UNIX-CONNECT:/proxy.socket"];
}

const maxTextLength = 10_000;

/** What comes on a descriptor until it is closed; of bubblewrap's information, which comes in one piece, that piece. */
function textOf(process: ChildProcess, descriptor: 2 | 3): Promise<string> {
  const stream = process.stdio[descriptor];
  return new Promise((resolve) => {
    let text = "";
    stream?.on("data", (bytes: Buffer) => {
      if (text.length < maxTextLength) text += bytes.toString();
      if (descriptor === 3 && text.includes("}")) resolve(text);
    });
    stream?.on("close", () => resolve(text));
  });
}
