import type { Instant, Role, SessionKey } from "@talaria/protocol";

/** A program that uses our tools over HTTP. */
export interface McpToken {
  readonly name: string;
  readonly role: Exclude<Role, "unverified">;
  /** Tools that have brought it untrusted content since the token was made. */
  readonly heard: readonly string[];
  /** By it its files are found again. No other token has it, nor a later one of the same name. */
  readonly workspace: SessionKey;
  readonly madeAt: Instant;
  readonly usedAt?: Instant;
}

/** Tokens of callers over HTTP. Only digests of them are kept: `tokenDigest` makes one. */
export interface McpTokenStore {
  /** Throws `invalid_request` where the name is taken, or there are as many tokens as may be. */
  make(name: string, role: McpToken["role"], digest: string): Promise<void>;
  /** Undefined: it was never made, or was revoked. */
  find(digest: string): Promise<McpToken | undefined>;
  /** Those of these digests that are not revoked. */
  living(digests: readonly string[]): Promise<readonly string[]>;
  /** Notes that it was used now, to the minute. */
  used(digest: string): Promise<void>;
  /** Notes that a tool has brought untrusted content. Nothing happens where it is revoked meanwhile. */
  heard(digest: string, tool: string): Promise<void>;
  /** By name. */
  list(): Promise<readonly McpToken[]>;
  /** False when there is none of that name. */
  revoke(name: string): Promise<boolean>;
}
