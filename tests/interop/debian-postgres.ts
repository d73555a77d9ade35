import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../support/free-port.ts";

const run = promisify(execFile);
const packages = "/usr/lib/postgresql";

/** A PostgreSQL server from the system's packages, in a folder of its own. */
export interface SystemPostgres extends AsyncDisposable {
  readonly url: string;
  readonly version: string;
  /** Stops it as an administrator would, and starts it again on the same port. */
  restart(): Promise<void>;
}

/** The newest installed version, or undefined. */
export function systemPostgresVersion(): string | undefined {
  if (!existsSync(packages)) return undefined;
  return readdirSync(packages)
    .filter((version) => existsSync(join(packages, version, "bin", "pg_ctl")))
    .toSorted((left, right) => Number(right) - Number(left))[0];
}

export async function startSystemPostgres(version: string): Promise<SystemPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-interop-"));
  const port = await freePort();
  const asRoot = userInfo().uid === 0;
  if (asRoot) {
    const { stdout } = await run("id", ["-u", "postgres"]);
    await chown(folder, Number(stdout), Number(stdout));
    await chmod(folder, 0o700);
  }
  const call = (program: string, ...args: readonly string[]) => {
    const file = join(packages, version, "bin", program);
    const command = asRoot ? ["runuser", "-u", "postgres", "--", file] : [file];
    return run(command[0] ?? file, [...command.slice(1), ...args], { cwd: "/" });
  };
  const data = join(folder, "data");
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`;
  const start = () => call("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), "-o", options, "start");
  const stop = () => call("pg_ctl", "-D", data, "-w", "-m", "fast", "stop");
  await call("initdb", "-D", data, "-A", "trust", "-U", "talaria");
  await start();
  await call("createdb", "-h", "127.0.0.1", "-p", String(port), "-U", "talaria", "talaria");
  return {
    url: `postgres://talaria@127.0.0.1:${port}/talaria`,
    version,
    restart: async () => {
      await stop();
      await start();
    },
    [Symbol.asyncDispose]: async () => {
      await stop().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
