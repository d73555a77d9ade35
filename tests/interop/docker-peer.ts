import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { waitFor } from "../support/wait-for.ts";

const run = promisify(execFile);

/** What is missing for a Docker of the test's own: Debian's docker.io and busybox-static, started by root. */
export function missingDockerPeers(): readonly string[] {
  return [
    ...(existsSync("/usr/sbin/dockerd") ? [] : ["docker.io"]),
    ...(existsSync("/bin/busybox") || existsSync("/usr/bin/busybox") ? [] : ["busybox-static"]),
    ...(userInfo().uid === 0 ? [] : ["to be root"]),
  ];
}

export interface DockerPeer extends AsyncDisposable {
  readonly socket: string;
  /** An image with busybox, and perl where this machine has it. */
  readonly image: string;
  readonly folder: string;
  docker(...argv: string[]): Promise<string>;
}

/** A daemon with a socket, data and state of its own, which touches no network of the machine. */
export async function startDockerPeer(): Promise<DockerPeer> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-docker-"));
  await chmod(folder, 0o711);
  const socket = join(folder, "docker.sock");
  const log: string[] = [];
  const daemon = spawn(
    "/usr/sbin/dockerd",
    [
      ...["--host", `unix://${socket}`, "--data-root", join(folder, "data"), "--exec-root", join(folder, "run")],
      ...["--pidfile", join(folder, "pid"), "--bridge=none", "--iptables=false", "--ip6tables=false"],
      "--storage-driver=vfs",
    ],
    { stdio: ["ignore", "pipe", "pipe"], detached: true, env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } },
  );
  for (const stream of [daemon.stdout, daemon.stderr]) stream.on("data", (bytes: Buffer) => log.push(bytes.toString()));
  const docker = async (...argv: string[]) =>
    (await run("docker", ["--host", `unix://${socket}`, ...argv], { maxBuffer: 10_000_000 })).stdout;
  const stop = async () => {
    await endDaemon(daemon);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  try {
    await waitFor(async () => {
      if (daemon.exitCode !== null) throw new Error(`dockerd ended: ${log.join("").slice(-2_000)}`);
      return docker("version").catch(() => undefined);
    }, "dockerd");
    await importImage(folder, docker);
  } catch (error) {
    await stop();
    throw error;
  }
  return { socket, image: "talaria-test:busybox", folder, docker, [Symbol.asyncDispose]: stop };
}

async function endDaemon(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null) return;
  const ended = new Promise((resolve) => daemon.once("exit", resolve));
  daemon.kill("SIGTERM");
  await ended;
}

async function importImage(folder: string, docker: DockerPeer["docker"]): Promise<void> {
  const root = join(folder, "image");
  for (const name of ["bin", "tmp", "workspace", "proc", "dev", "etc"])
    await mkdir(join(root, name), { recursive: true });
  const busybox = existsSync("/bin/busybox") ? "/bin/busybox" : "/usr/bin/busybox";
  await copyFile(busybox, join(root, "bin", "busybox"));
  const { stdout } = await run(busybox, ["--list"]);
  for (const name of stdout.split("\n"))
    if (name !== "" && name !== "busybox") await symlink("busybox", join(root, "bin", name));
  await addPerl(root);
  const archive = join(folder, "image.tar");
  await run("tar", ["-C", root, "-cf", archive, "."]);
  await docker("import", archive, "talaria-test:busybox");
}

/** With the libraries that it is linked to, and the few modules of Debian's perl-base. */
async function addPerl(root: string): Promise<void> {
  if (!existsSync("/usr/bin/perl")) return;
  const { stdout } = await run("ldd", ["/usr/bin/perl"]);
  const libraries = [...stdout.matchAll(/\/\S+/g)].map(([path]) => path);
  for (const path of ["/usr/bin/perl", ...libraries]) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await copyFile(path, join(root, path));
  }
  const { stdout: modules } = await run("perl", ["-e", "print grep { m{/perl-base$} } @INC"]);
  if (modules !== "") await cp(modules, join(root, modules), { recursive: true });
  await symlink("/usr/bin/perl", join(root, "bin", "perl"));
}
