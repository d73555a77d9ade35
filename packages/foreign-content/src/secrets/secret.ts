import { randomBytes } from "node:crypto";

/** A secret that programs and the model use without seeing it. */
export interface SecretSettings {
  /** 1 to 32 of `a-z`, `0-9` and `_`. */
  readonly name: string;
  /** Printable ASCII. */
  readonly value: string;
  /** Exact hosts, reached by https, with a port where it isn't 443. */
  readonly hosts: readonly string[];
  /** The one header that it goes into, in lower case. */
  readonly header: string;
  /** What that header is then: `{value}` stands for the value. */
  readonly template: string;
}

/** A secret as one command, or one call, has it. */
export interface HandedSecret extends SecretSettings {
  /** What stands for the value where it is not seen. Good for that one alone, and for as long as it runs. */
  readonly handle: string;
}

export function handOut(secret: SecretSettings): HandedSecret {
  return { ...secret, handle: `secret-${secret.name.replaceAll("_", "-")}-${randomBytes(18).toString("hex")}` };
}

/** `host:port` in lower case, for comparing. */
function authorityOf(host: string, port = 443): string {
  const text = host.toLowerCase();
  return /:\d+$/.test(text) ? text : `${text}:${port}`;
}

/** Those that are for the host. `authority`: as `authorityOf` writes it. */
export function secretsFor(authority: string, secrets: readonly HandedSecret[]): readonly HandedSecret[] {
  return secrets.filter(({ hosts }) => hosts.some((host) => authorityOf(host) === authority));
}
