import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { shownPath } from "./shown-word.ts";

/** Where things are. Paths are absolute. */
export interface Home {
  readonly dir: string;
  readonly configFile: string;
  /** Somebody named the file, so it has to be there. */
  readonly isConfigNamed: boolean;
  /** The configuration that `talaria start` runs with: 0600. */
  readonly runningConfigFile: string;
  /** Which `talaria start` served the folder last. */
  readonly supervisorFile: string;
  /** There while a `talaria start` replaces what it runs on purpose. */
  readonly plannedRestartFile: string;
  /** There while what runs has refused a changed configuration. */
  readonly refusedConfigFile: string;
  /** The address on which the gateway that `talaria start` runs listened last. */
  readonly gatewayUrlFile: string;
  readonly tokenFile: string;
  readonly keyFile: string;
  /** Encrypts what logins to MCP servers and to models gave. Workers read it. */
  readonly loginKeyFile: string;
  readonly databaseDir: string;
  /** The embedded database's address, password included: 0600. */
  readonly databaseUrlFile: string;
  readonly cacheDir: string;
  /** Where gateways reach a worker. */
  readonly doorDir: string;
  readonly logDir: string;
  /** The operator's own tools. */
  readonly toolDir: string;
  /** The operator's skills. */
  readonly skillDir: string;
}

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** Options take precedence over the environment, and the environment over defaults. */
export function locateHome(options: Options, env: Readonly<Record<string, string | undefined>>): Home {
  const named = text(options.config) ?? nonEmpty(env.TALARIA_CONFIG);
  const dir = resolve(text(options.home) ?? nonEmpty(env.TALARIA_HOME) ?? join(homedir(), ".talaria"));
  return {
    dir,
    configFile: resolve(named ?? join(dir, "config.yaml")),
    isConfigNamed: named !== undefined,
    runningConfigFile: join(dir, "running-config.yaml"),
    supervisorFile: join(dir, "supervisor.json"),
    plannedRestartFile: join(dir, "planned-restart.json"),
    refusedConfigFile: join(dir, "refused-config.json"),
    gatewayUrlFile: join(dir, "gateway.url"),
    tokenFile: join(dir, "token"),
    keyFile: join(dir, "secret.key"),
    loginKeyFile: join(dir, "logins.key"),
    databaseDir: join(dir, "postgres"),
    databaseUrlFile: join(dir, "database.url"),
    cacheDir: join(dir, "cache"),
    doorDir: join(dir, "door"),
    logDir: join(dir, "logs"),
    toolDir: join(dir, "tools"),
    skillDir: join(dir, "skills"),
  };
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** For a configuration file that was named but doesn't exist: with the defaults, something unintended would run. */
export function missingConfig({ configFile }: Home): Error {
  return new Error(`the configuration file ${shownPath(configFile)} does not exist: check --config and TALARIA_CONFIG`);
}
