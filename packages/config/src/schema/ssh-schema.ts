import { z } from "zod";
import { Secret } from "../secret.ts";

/** Another machine that is given up to the agent. */
export const sshSchema = z.strictObject({
  host: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]+$/, "must be a host name or an address, without user and port")
    .describe("Name or address of the machine."),
  port: z.int().min(1).max(65_535).default(22).describe("Port of its SSH server."),
  user: z
    .string()
    .regex(/^[^\s:@/]+$/, "must be the name of an account on that machine")
    .describe("Account that commands run as. It should hold nothing else."),
  key: z
    .string()
    .superRefine(complainOf(keyComplaint))
    .transform((value) => new Secret(value))
    .meta({ secret: true })
    .describe("Private key of that account, in OpenSSH's form, without a passphrase: `{ file: path }`."),
  hostKey: z
    .string()
    .superRefine(complainOf(hostKeyComplaint))
    .describe(
      "The machine's own key: its fingerprint, as `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` shows it there (`SHA256:...`), or the content of that file. Any other key is refused.",
    ),
});

function complainOf(complaint: (value: string) => string | undefined) {
  return (value: string, context: z.core.$RefinementCtx<string>) => {
    const message = complaint(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  };
}

/** https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key; before it, PEM with a header. */
function keyComplaint(value: string): string | undefined {
  const form = /^-----BEGIN (OPENSSH|RSA|EC) PRIVATE KEY-----\r?\n([\s\S]+)\r?\n-----END \1 PRIVATE KEY-----\s*$/;
  const [, kind, body = ""] = form.exec(value) ?? [];
  if (kind === undefined)
    return "is not a private key in OpenSSH's form: make one with `ssh-keygen -t ed25519` and name its file, { file: path }";
  const cipher = kind === "OPENSSH" ? opensshCipher(body) : body.includes("ENCRYPTED") ? "some" : "none";
  if (cipher === undefined) return "is a damaged private key: make another one with `ssh-keygen -t ed25519`";
  return cipher === "none" ? undefined : "needs a passphrase: take it off a copy with `ssh-keygen -p -N ''`";
}

const magic = "openssh-key-v1\0";

function opensshCipher(body: string): string | undefined {
  const bytes = Buffer.from(body, "base64");
  const start = magic.length + 4;
  if (bytes.length < start || bytes.toString("latin1", 0, magic.length) !== magic) return undefined;
  return bytes.toString("latin1", start, start + Math.min(bytes.readUInt32BE(magic.length), 64));
}

/** A SHA-256 digest in base64 without padding, or a key as `known_hosts` has it, which begins with its own type. */
function hostKeyComplaint(value: string): string | undefined {
  if (/^SHA256:[A-Za-z0-9+/]{43}$/.test(value)) return undefined;
  const [type = "", encoded = ""] = value.trim().split(/\s+/);
  const bytes = Buffer.from(encoded, "base64");
  const named = bytes.length < 4 ? "" : bytes.toString("latin1", 4, 4 + Math.min(bytes.readUInt32BE(0), 64));
  if (/^(?:ssh|ecdsa)-/.test(type) && named === type) return undefined;
  return "must be a fingerprint, `SHA256:` and 43 characters, or a public key, `ssh-ed25519 AAAA...`: both are to be had on that machine, by `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` and in that file";
}
