import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machine, skipWithoutMachines } from "./machines.ts";

/** The other machine of that network, which `startPeer` makes: a public address, and one that is nobody's business. */
export const peerAddress = "9.8.7.6";
export const innerAddress = "10.1.2.3";

const mark = "TALARIA_TEST_NETWORK";

/** Whether this process is one that `passInOwnNetwork` has started. */
export const isInOwnNetwork = process.env[mark] === "own";

/** Why no networks can be made here. */
export const skipWithoutNetworks =
  skipWithoutMachines ||
  (spawnSync("unshare", ["--net", "ip", "link", "set", "lo", "up"], { stdio: "ignore" }).status === 0
    ? false
    : "needs a machine where root may make networks, and iproute2");

/**
 * Runs the tests of `file` once more, in a network of their own that leads nowhere else: an address of the public internet may be there without
 * being anybody's, and the product's rules about addresses hold as they are. Names lead where `names` says, and nowhere else.
 * Throws with what they said unless each of them has passed; those that are left out are failures.
 */
export async function passInOwnNetwork(
  file: string,
  names: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  // Servers that tests share are known by this folder, and are out of reach in there.
  const folder = await mkdtemp(join(tmpdir(), "talaria-net-"));
  await chmod(folder, 0o711);
  try {
    const lines = ["127.0.0.1 localhost", ...Object.entries(names).map(([name, address]) => `${address} ${name}`), ""];
    await writeFile(join(folder, "hosts"), lines.join("\n"));
    await writeFile(join(folder, "resolv.conf"), "nameserver 127.0.0.1\noptions attempts:1 timeout:1\n");
    const bind = (name: string) => `mount --bind ${folder}/${name} "$(readlink -f /etc/${name})"`;
    const [unshare = "", ...words] = machine(`ip link set lo up\n${bind("hosts")}\n${bind("resolv.conf")}`);
    const { NODE_TEST_CONTEXT, ...inherited } = process.env;
    const child = spawn(unshare, ["--net", ...words, process.execPath, "--test-reporter=tap", file], {
      env: { ...inherited, [mark]: "own", TMPDIR: folder },
      stdio: ["ignore", "pipe", "pipe"],
      signal,
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-200_000);
      });
    const [code] = await once(child, "close");
    const isPassed = code === 0 && /^# pass [1-9]/m.test(said) && /^# skipped 0$/m.test(said);
    if (!isPassed) throw new Error(`ended with ${code}:\n${said}`);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
