import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait-for.ts";

const run = promisify(execFile);

/** What is missing for an OpenSSH server of the test's own: Debian's openssh-server. */
export function missingSshPeers(): readonly string[] {
  return existsSync("/usr/sbin/sshd") ? [] : ["openssh-server"];
}

export interface SshPeer extends AsyncDisposable {
  readonly port: number;
  readonly user: string;
  readonly key: string;
  readonly hostKey: string;
  /** Of the host key, as OpenSSH itself tells it. */
  readonly fingerprint: string;
  readonly otherKey: string;
  /** The account's. */
  readonly folder: string;
  /** Where its key lies, as `client`. */
  readonly keyFolder: string;
  /** Ends every connection and lets new ones in. */
  dropConnections(): Promise<void>;
}

/** An account that this machine has not got. */
const ownAccount = { name: "talaria-agent", uid: 64_921 };

/**
 * A server on 127.0.0.1 that lets whoever runs the test in, by a key alone; or, with `hasOwnAccount`, an account without rights that
 * only this server knows of. That needs a machine where root may mount.
 */
export async function startSshPeer({ hasOwnAccount = false } = {}): Promise<SshPeer> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-ssh-"));
  await chmod(folder, 0o711);
  const home = join(folder, "home");
  await mkdir(home);
  if (hasOwnAccount) await chown(home, ownAccount.uid, ownAccount.uid);
  const keys = ["host", "client", "other"].map((name) => join(folder, name));
  for (const path of keys) await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path]);
  const [host = "", client = "", other = ""] = keys;
  const port = await freePort();
  await writeFile(join(folder, "authorized"), await readFile(`${client}.pub`), { mode: 0o644 });
  // Debian's sshd wants its folder for giving up rights, which its service makes.
  if (userInfo().uid === 0) await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
  const settings = [
    ...[`Port ${port}`, "ListenAddress 127.0.0.1", `HostKey ${host}`, `PidFile ${join(folder, "pid")}`],
    ...[`AuthorizedKeysFile ${join(folder, "authorized")}`, "PasswordAuthentication no", "PermitRootLogin yes"],
    // What the account's own shell reads at its start is no matter of the test.
    `SetEnv HOME=${home}`,
    ...["StrictModes no", "UsePAM no", "LogLevel VERBOSE"],
  ];
  await writeFile(join(folder, "config"), `${settings.join("\n")}\n`);
  const sshd = ["/usr/sbin/sshd", "-D", "-e", "-f", join(folder, "config")];
  const [program = "", ...argv] = hasOwnAccount ? await knowingAccount(folder, home, sshd) : sshd;
  const server = spawn(program, argv, {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const log: string[] = [];
  server.stderr.on("data", (bytes: Buffer) => log.push(bytes.toString()));
  const children = async () => {
    const { stdout } = await run("ps", ["-o", "pid=", "--ppid", `${server.pid}`]).catch(() => ({ stdout: "" }));
    return stdout
      .split("\n")
      .map(Number)
      .filter((pid) => pid > 0);
  };
  const dropConnections = async () => {
    for (const pid of await children()) process.kill(pid, "SIGKILL");
    await waitFor(async () => (await children()).length === 0, "the end of all connections");
  };
  await waitFor(() => {
    if (server.exitCode !== null) throw new Error(`sshd ended: ${log.join("")}`);
    return answers(port);
  }, "sshd");
  return {
    port,
    user: hasOwnAccount ? ownAccount.name : userInfo().username,
    key: await readFile(client, "utf8"),
    hostKey: await readFile(`${host}.pub`, "utf8"),
    fingerprint: (await run("ssh-keygen", ["-lf", `${host}.pub`])).stdout.split(" ")[1] ?? "",
    otherKey: await readFile(other, "utf8"),
    folder: home,
    keyFolder: folder,
    dropConnections,
    [Symbol.asyncDispose]: async () => {
      const gone = once(server, "exit");
      server.kill("SIGTERM");
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** In a mount namespace whose `/etc/passwd` has one line more. */
async function knowingAccount(folder: string, home: string, sshd: readonly string[]): Promise<readonly string[]> {
  const passwd = join(folder, "passwd");
  const { name, uid } = ownAccount;
  await writeFile(passwd, `${await readFile("/etc/passwd", "utf8")}${name}:x:${uid}:${uid}::${home}:/bin/sh\n`, {
    mode: 0o644,
  });
  return ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/passwd && exec "$@"', passwd, ...sshd];
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
