import { execFile } from "node:child_process";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The names the servers answer to. Each but `renamed` has a certificate of its own; `renamed` shows the one of `good`. */
export const mailHosts = {
  good: "good.mail.test",
  expired: "expired.mail.test",
  stranger: "stranger.mail.test",
  renamed: "renamed.mail.test",
} as const;

export interface MailCertificates {
  /** What an operator names in NODE_EXTRA_CA_CERTS. It vouches for `good` and `expired`, and not for `stranger`. */
  readonly authorityFile: string;
  /** By host: a file with the private key, then the certificate. */
  readonly files: Readonly<Record<"good" | "expired" | "stranger", string>>;
}

/** Makes two authorities and the servers' certificates in `folder`. */
export async function makeMailCertificates(folder: string): Promise<MailCertificates> {
  await Promise.all([makeAuthority(folder, "known"), makeAuthority(folder, "unknown")]);
  const [good, expired, stranger] = await Promise.all([
    issue(folder, "known", mailHosts.good, 1),
    issue(folder, "known", mailHosts.expired, -1),
    issue(folder, "unknown", mailHosts.stranger, 1),
  ]);
  return { authorityFile: join(folder, "known.pem"), files: { good, expired, stranger } };
}

async function makeAuthority(folder: string, name: string): Promise<void> {
  const files = ["-keyout", `${name}.key`, "-out", `${name}.pem`];
  await run("openssl", ["req", "-x509", ...newKey, "-subj", `/CN=${name}`, "-days", "2", ...files], { cwd: folder });
}

async function issue(folder: string, authority: string, host: string, days: number): Promise<string> {
  const openssl = (...words: string[]) => run("openssl", words, { cwd: folder });
  await writeFile(join(folder, `${host}.ext`), `subjectAltName=DNS:${host}\nbasicConstraints=critical,CA:FALSE\n`);
  await openssl("req", "-new", ...newKey, "-subj", `/CN=${host}`, "-keyout", `${host}.pem`, "-out", `${host}.csr`);
  const signer = ["-CA", `${authority}.pem`, "-CAkey", `${authority}.key`, "-CAcreateserial"];
  const extensions = ["-extfile", `${host}.ext`, "-out", `${host}.crt`];
  await openssl("x509", "-req", "-in", `${host}.csr`, ...signer, "-days", String(days), ...extensions);
  const file = join(folder, `${host}.pem`);
  await appendFile(file, await readFile(join(folder, `${host}.crt`)));
  return file;
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
