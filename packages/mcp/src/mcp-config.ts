/** What the operator says of MCP servers. `packages/config` fills it in; secrets in it are already unwrapped. */
export interface McpConfig {
  /** By name: 1 to 32 letters, digits and `-`. The name becomes part of each tool's name. */
  readonly servers: Readonly<Record<string, McpServerConfig>>;
}

export type McpServerConfig = StdioServerConfig | HttpServerConfig;

interface ServerRules {
  /** The server's own names of the tools that may be used. Default: all of them. */
  readonly tools?: readonly string[];
  /**
   * Tools that only look: they run side by side and again after a crash. Default: none, whatever the server says of them. A tool
   * of which the server itself says that it changes things is none either.
   */
  readonly reads?: readonly string[];
  /** By tool: the arguments that say whom or what a call is for. An agreement to later calls is for their values alone. */
  readonly targets?: Readonly<Record<string, readonly string[]>>;
  /** Digests the operator has looked at, by tool. A tool whose description or input differs from its digest is left out. */
  readonly digests?: Readonly<Record<string, string>>;
  /** Of one call. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Whether files in results go out with the reply. Default: true. */
  readonly attachFiles?: boolean;
}

export interface StdioServerConfig extends ServerRules {
  /** A program and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Added to the few variables that every server finds. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Where it starts. Default: a folder of its own. */
  readonly folder?: string;
  /** Folders of this machine that it may read, such as that of its program. */
  readonly readable?: readonly string[];
}

export interface HttpServerConfig extends ServerRules {
  /** Of its Streamable HTTP endpoint. */
  readonly url: string;
  /** Sent with every request to the server itself, never to where it redirects or logs in. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: the server is used without a login. */
  readonly oauth?: OAuthConfig;
}

export interface OAuthConfig {
  /** `client_credentials`: the client logs in as itself, with its id and its secret, and nobody is asked. Default: a person logs in. */
  readonly grant?: "authorization_code" | "client_credentials";
  /** Where the login sends the browser back to. Without it only a login by device code is possible. */
  readonly redirectUrl?: string;
  /** Of a client that was registered by hand. Without it the client registers itself. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** An https address that describes this client, for servers that take it as the client's id. */
  readonly clientMetadataUrl?: string;
  /** Separated by blanks. Default: what the server asks for. */
  readonly scope?: string;
}

export const defaultCallTimeoutMs = 60_000;

export function isStdio(config: McpServerConfig): config is StdioServerConfig {
  return "command" in config;
}
