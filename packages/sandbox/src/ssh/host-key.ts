import { createHash } from "node:crypto";
import { GatewayError } from "@talaria/protocol";

interface HostKey {
  /** What the server is asked for. Absent: any, since a fingerprint does not tell its type. */
  readonly types?: readonly string[];
  isRight(shown: Buffer): boolean;
}

/** From a key as `known_hosts` has it, or from a fingerprint. Throws `unsupported` where it is neither. */
export function toHostKey(text: string): HostKey {
  const [type = "", encoded = ""] = text.trim().split(/\s+/);
  if (/^SHA256:[A-Za-z0-9+/]{43}$/.test(type)) return { isRight: (shown) => fingerprintOf(shown) === type };
  const expected = Buffer.from(encoded, "base64");
  if (expected.length === 0)
    throw new GatewayError(
      "hostKey is not a public key; write it as known_hosts does, ssh-ed25519 AAAA..., or as its fingerprint, SHA256:...",
      { code: "unsupported" },
    );
  return {
    types: type === "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256"] : [type],
    isRight: (shown) => shown.equals(expected),
  };
}

/** As `ssh-keygen -l` shows it. */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}
