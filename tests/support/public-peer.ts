import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { innerAddress, peerAddress } from "./own-network.ts";

const run = promisify(execFile);

/** Another machine in the network of `passInOwnNetwork`, with the registries on port 80. */
export interface PublicPeer extends AsyncDisposable {
  /** What it was asked so far, as `host path`. */
  readonly asked: readonly string[];
}

/** `folder`: for what it serves. What Python's index names lies at `files`, `/away` leads to `elsewhere`. */
export async function startPublicPeer(
  folder: string,
  hosts: { readonly files: string; readonly elsewhere: string },
): Promise<PublicPeer> {
  const file = fileURLToPath(new URL("public-peer-process.ts", import.meta.url));
  const words = [process.execPath, file, folder, hosts.files, hosts.elsewhere];
  const child = spawn("unshare", ["--net", ...words], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const asked: string[] = [];
  const next = async () => {
    const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`the peer ended with ${code}`)));
    await Promise.race([once(child, "message"), ended]);
  };
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  try {
    await next();
    await run("ip", ["link", "add", "toPeer", "type", "veth", "peer", "name", "toUs", "netns", `${child.pid}`]);
    await run("ip", ["address", "add", "9.8.7.1/24", "dev", "toPeer"]);
    await run("ip", ["link", "set", "toPeer", "up"]);
    await run("ip", ["route", "add", `${innerAddress}/32`, "dev", "toPeer"]);
    child.send({ listen: [peerAddress, innerAddress] });
    await next();
  } catch (error) {
    await stop();
    throw error;
  }
  child.on("message", (line: string) => asked.push(line));
  return { asked, [Symbol.asyncDispose]: stop };
}
