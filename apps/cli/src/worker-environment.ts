type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What any program may need, and what a supervisor passes to its children. The configuration has to name everything else.
 */
const basics = new RegExp(
  `^(?:${[
    "PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP",
    "SYSTEMROOT|WINDIR|PATHEXT|COMSPEC|APPDATA|LOCALAPPDATA|USERPROFILE",
    "LD_LIBRARY_PATH|NODE_[A-Z0-9_]+|SSL_CERT_FILE|SSL_CERT_DIR",
    "HTTP_PROXY|HTTPS_PROXY|ALL_PROXY|NO_PROXY",
    "LOG_LEVEL|REDIS_URL|OPENAI_API_KEY",
    "TALARIA_(?:HOME|CONFIG|RUNNING_CONFIG|WAITS|LEASE_KEEPER|PROCESS_ID|FORMER_PROCESS_ID|SUPERVISOR)",
  ].join("|")})$`,
  "i",
);

/** The part of an environment that holds no secret of a platform. `OPENAI_API_KEY` is the default model's. */
export function basicEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && basics.test(name) ? [[name, value]] : [])),
  );
}

/** Those of the named variables that are set. */
export function pickEnvironment(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * Removes what a worker does not need from the environment of this process, and so of its children. The environment that the
 * process was started with stays readable in `/proc/<pid>/environ` for the account it runs as: only `talaria start` can keep
 * secrets out of it.
 */
export function forgetEnvironment(env: NodeJS.ProcessEnv, named: readonly string[]): void {
  for (const name of Object.keys(env)) if (!basics.test(name) && !named.includes(name)) delete env[name];
}
