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
