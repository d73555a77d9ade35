import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { Log } from "@talaria/protocol";
import type { LoginStore } from "./login-port.ts";

/** What one issuer gave. */
interface Credentials {
  readonly client?: StoredOAuthClientInformation;
  /** Where the client was registered to be sent back to. Missing in what releases before have kept. */
  readonly redirectUrl?: string;
  readonly tokens?: StoredOAuthTokens;
}

/** What is known of a login before it has ended. */
export interface Progress {
  /** Whose tokens are in use. */
  readonly issuer?: string;
  readonly discovery?: OAuthDiscoveryState;
  readonly verifier?: string;
  /** Of the login in a browser that is open. */
  readonly state?: string;
  /** What the login that is open, or was last made, has asked for. */
  readonly scope?: string;
  /** What the server has refused calls for since. The next login asks for it, too. */
  readonly wanted?: string;
  /** When a person was last asked. Milliseconds since 1970. */
  readonly askedAt?: number;
}

const progressKey = "";

/** The store's texts as values. What can't be read counts as not kept. */
export class KeptLogin {
  readonly #server: string;
  readonly #store: LoginStore;
  readonly #log: Log;

  constructor(server: string, store: LoginStore, log: Log) {
    this.#server = server;
    this.#store = store;
    this.#log = log;
  }

  async progress(): Promise<Progress> {
    return await this.#load<Progress>(progressKey);
  }

  /** Changes the fields given; undefined removes one. */
  async note(change: { readonly [Key in keyof Progress]: Progress[Key] | undefined }): Promise<void> {
    await this.#save(progressKey, { ...(await this.progress()), ...change });
  }

  async credentials(issuer: string): Promise<Credentials> {
    return await this.#load<Credentials>(issuer);
  }

  async keep(
    issuer: string,
    change: { readonly [Key in keyof Credentials]: Credentials[Key] | undefined },
  ): Promise<void> {
    await this.#save(issuer, { ...(await this.credentials(issuer)), ...change });
  }

  async #load<T extends object>(issuer: string): Promise<Partial<T>> {
    const text = await this.#store.load(this.#server, issuer);
    if (text === undefined) return {};
    try {
      return JSON.parse(text) as Partial<T>;
    } catch {
      this.#log.warn({}, "kept MCP login can't be read");
      return {};
    }
  }

  async #save(issuer: string, value: object): Promise<void> {
    const text = JSON.stringify(value);
    if (text === "{}") await this.#store.forget(this.#server, issuer);
    else await this.#store.save(this.#server, issuer, text);
  }
}
