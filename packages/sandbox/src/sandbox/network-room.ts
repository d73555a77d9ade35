import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { GatewayError } from "@talaria/protocol";
import type { Account } from "./account.ts";
import { killNamespace } from "./first-process.ts";
import { type HostProxy, proxyPort } from "./proxy.ts";

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
  static async open(account: Account, proxy: HostProxy | undefined): Promise<NetworkRoom> {
    const room = spawn("bwrap", [...roomArguments(proxy), "--", ...keeper(proxy)], {
      ...account.credentials,
      cwd: "/",
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      detached: true,
    });
    const failed = once(room, "error").then(([cause]) => {
      throw new GatewayError("bwrap could not be started; install the package bubblewrap", {
        code: "unavailable",
        cause,
      });
    });
    // Bubblewrap tells of its child before that child's namespaces are whole.
    const said = Promise.all([textUntil(room, 3, "}"), textUntil(room, 2, readyWord)]);
    const [information, complaint] = await Promise.race([said, failed]);
    const pid = Number(/"child-pid": (\d+)/.exec(information)?.[1]);
    if (!Number.isSafeInteger(pid) || !complaint.includes(readyWord)) {
      await killNamespace(room.pid);
      throw new GatewayError(`bubblewrap could not make a namespace: ${complaint.trim().slice(0, 500)}`, {
        code: "unavailable",
      });
    }
    return new NetworkRoom(room, pid);
  }

  get isOpen(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    const gone = once(this.#process, "exit");
    await killNamespace(this.#process.pid);
    await gone;
  }
}

/** No `--dev`: it would put the network under a second user namespace, which nobody outside can enter. */
function roomArguments(proxy: HostProxy | undefined): readonly string[] {
  return [
    ...["--unshare-user", "--unshare-net", "--unshare-pid", "--die-with-parent", "--cap-drop", "ALL", "--clearenv"],
    ...["--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"],
    ...["--proc", "/proc", ...(proxy === undefined ? [] : ["--bind", proxy.socket, "/proxy.socket"])],
    ...["--info-fd", "3"],
  ];
}

/** What leads commands to their proxy. */
export const socat = "/usr/bin/socat";

/** In socat's words, which it says at the second level of its log. */
const readyWord = "listening";

function keeper(proxy: HostProxy | undefined): readonly string[] {
  if (proxy === undefined) return ["/usr/bin/sh", "-c", `echo ${readyWord} >&2; exec sleep infinity`];
  const listen = `TCP4-LISTEN:${proxyPort},bind=127.0.0.1,fork,reuseaddr,max-children=64`;
  return [socat, "-d", "-d", listen, "UNIX-CONNECT:/proxy.socket"];
}

const maxTextLength = 10_000;

/** What comes on a descriptor until it holds `word` or is closed. The rest is read and dropped. */
function textUntil(process: ChildProcess, descriptor: 2 | 3, word: string): Promise<string> {
  const stream = process.stdio[descriptor];
  return new Promise((resolve) => {
    let text = "";
    stream?.on("data", (bytes: Buffer) => {
      if (text.length >= maxTextLength || text.includes(word)) return;
      text += bytes.toString();
      if (text.includes(word)) resolve(text);
    });
    stream?.on("close", () => resolve(text));
  });
}
