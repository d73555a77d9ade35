import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait-for.ts";

/** As in scripts/peers/synapse.sh. */
const version = "1.163.2";
const sharedSecret = "interop";
const serverName = "synapse.test";

/** The Python that runs Synapse; undefined when scripts/peers/synapse.sh has not been run. */
export async function synapsePython(): Promise<string | undefined> {
  const { TALARIA_PEERS, XDG_CACHE_HOME } = process.env;
  const peers = TALARIA_PEERS ?? join(XDG_CACHE_HOME ?? join(homedir(), ".cache"), "talaria-peers");
  const folder = join(peers, `synapse-${version}`);
  return access(join(folder, "installed")).then(
    () => join(folder, "bin", "python"),
    () => undefined,
  );
}

export interface SynapseUser {
  readonly userId: string;
  readonly password: string;
  readonly accessToken: string;
  readonly deviceId: string;
}

/** A real homeserver on loopback, with a temporary folder and SQLite. */
export class Synapse {
  readonly url: string;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(url: string, folder: string, process: ChildProcess) {
    this.url = url;
    this.#folder = folder;
    this.#process = process;
  }

  static async start(python: string): Promise<Synapse> {
    const folder = await mkdtemp(join(tmpdir(), "talaria-synapse-"));
    const port = await freePort();
    await writeFile(join(folder, "signing.key"), `ed25519 a_test ${randomBytes(32).toString("base64").slice(0, 43)}\n`);
    await writeFile(join(folder, "log.yaml"), logSettings(folder));
    await writeFile(join(folder, "homeserver.yaml"), settings(folder, port));
    const child = spawn(python, ["-m", "synapse.app.homeserver", "-c", join(folder, "homeserver.yaml")], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let complaints = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaints = (complaints + text).slice(-10_000);
    });
    const url = `http://127.0.0.1:${port}`;
    const synapse = new Synapse(url, folder, child);
    const answers = async () => (await fetch(`${url}/_matrix/client/versions`).catch(() => undefined))?.ok === true;
    try {
      await waitFor(async () => child.exitCode !== null || (await answers()), "a ready Synapse");
      if (child.exitCode !== null) throw new Error(`Synapse ended with ${child.exitCode}`);
      return synapse;
    } catch (error) {
      const log = await readFile(join(folder, "synapse.log"), "utf8").catch(() => "");
      await synapse.stop();
      throw new Error(`Synapse did not start:\n${complaints}\n${log.slice(-5_000)}`, { cause: error });
    }
  }

  /** Makes an account by the shared secret, logged in with a device. */
  async register(name: string, displayName = name): Promise<SynapseUser> {
    const password = `password of ${name}`;
    const path = `${this.url}/_synapse/admin/v1/register`;
    const { nonce } = (await (await fetch(path)).json()) as { nonce: string };
    const mac = createHmac("sha1", sharedSecret).update([nonce, name, password, "notadmin"].join("\0")).digest("hex");
    const body = { nonce, username: name, displayname: displayName, password, admin: false, mac };
    const response = await fetch(path, { method: "POST", body: JSON.stringify(body) });
    const answer = (await response.json()) as Record<string, string>;
    if (!response.ok) throw new Error(`Synapse did not register ${name}: ${JSON.stringify(answer)}`);
    const { user_id: userId = "", access_token: accessToken = "", device_id: deviceId = "" } = answer;
    return { userId, password, accessToken, deviceId };
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function settings(folder: string, port: number): string {
  const fast = { per_second: 10_000, burst_count: 10_000 };
  const limits = {
    rc_message: fast,
    rc_registration: fast,
    rc_login: { address: fast, account: fast, failed_attempts: fast },
    rc_joins: { local: fast, remote: fast },
    rc_invites: { per_room: fast, per_user: fast, per_issuer: fast },
    rc_admin_redaction: fast,
  };
  // JSON is YAML.
  return JSON.stringify({
    server_name: serverName,
    listeners: [{ port, type: "http", bind_addresses: ["127.0.0.1"], resources: [{ names: ["client"] }] }],
    database: { name: "sqlite3", args: { database: join(folder, "homeserver.db") } },
    media_store_path: join(folder, "media"),
    signing_key_path: join(folder, "signing.key"),
    log_config: join(folder, "log.yaml"),
    registration_shared_secret: sharedSecret,
    macaroon_secret_key: "interop",
    form_secret: "interop",
    report_stats: false,
    trusted_key_servers: [],
    ...limits,
  });
}

function logSettings(folder: string): string {
  return JSON.stringify({
    version: 1,
    formatters: { plain: { format: "%(asctime)s %(levelname)s %(name)s %(message)s" } },
    handlers: { file: { class: "logging.FileHandler", filename: join(folder, "synapse.log"), formatter: "plain" } },
    root: { level: "WARNING", handlers: ["file"] },
    disable_existing_loggers: false,
  });
}
