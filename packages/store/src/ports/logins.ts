/**
 * What logins to MCP servers gave: one secret text for each server and issuer of tokens. Encrypted with the key file of logins,
 * which workers have and gateways have not.
 */
export interface ServerLoginStore {
  /** Throws `unauthorized` for a text that was written with another key. */
  load(server: string, issuer: string): Promise<string | undefined>;
  /** Concurrent writers are fine: the last one counts. */
  save(server: string, issuer: string, secret: string): Promise<void>;
  forget(server: string, issuer: string): Promise<void>;
  /** Of all issuers. False when nothing was kept. */
  forgetAll(server: string): Promise<boolean>;
}

/**
 * What logins to providers of models gave: one secret text for each part of a login. They are kept as those to MCP servers are,
 * with the same key.
 */
export interface ModelLoginStore {
  /** Throws `unauthorized` for a text that was written with another key. */
  load(login: string, part: string): Promise<string | undefined>;
  save(login: string, part: string, secret: string): Promise<void>;
  forget(login: string, part: string): Promise<void>;
  /** Runs `work` unless another process runs some for the same login: false then, at once. Rejects with what `work` throws. */
  alone(login: string, work: () => Promise<void>): Promise<boolean>;
}
