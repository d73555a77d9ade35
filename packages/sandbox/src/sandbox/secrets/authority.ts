import { generateKeyPair, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { promisify } from "node:util";
import { insideTrust } from "../view.ts";

/** Says to commands that have secrets who the hosts are that their secrets are for. Its key stays in this process. */
export interface CertificateAuthority {
  readonly certificate: string;
  /** Made once for each host. */
  contextFor(host: string): Promise<SecureContext>;
}

const makeKeys = promisify(generateKeyPair);
const dayMs = 86_400_000;
/** A worker that runs longer has to be started again before commands can use secrets. */
const validDays = 365;
const keyForm = {
  modulusLength: 2_048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
} as const;

/** Takes about a tenth of a second of this thread. `now`: milliseconds since 1970. */
export async function createAuthority(now: number): Promise<CertificateAuthority> {
  const { default: forge } = await import("node-forge");
  const { pki } = forge;
  const name = [{ name: "commonName", value: `Talaria commands ${randomBytes(8).toString("hex")}` }];
  const own = await makeKeys("rsa", keyForm);
  const signingKey = pki.privateKeyFromPem(own.privateKey);
  const signed = (
    publicKey: string,
    subject: typeof name,
    extensions: readonly Readonly<Record<string, unknown>>[],
  ) => {
    const certificate = pki.createCertificate();
    certificate.publicKey = pki.publicKeyFromPem(publicKey);
    certificate.serialNumber = serialNumberOf(randomBytes(16));
    certificate.validity.notBefore = new Date(now - dayMs);
    certificate.validity.notAfter = new Date(now + validDays * dayMs);
    certificate.setSubject(subject);
    certificate.setIssuer(name);
    certificate.setExtensions(extensions);
    certificate.sign(signingKey, forge.md.sha256.create());
    return pki.certificateToPem(certificate);
  };
  const contexts = new Map<string, Promise<SecureContext>>();
  const makeContext = async (host: string) => {
    const keys = await makeKeys("rsa", keyForm);
    const cert = signed(
      keys.publicKey,
      [{ name: "commonName", value: host.slice(0, 64) }],
      [
        { name: "basicConstraints", cA: false, critical: true },
        { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
        { name: "extKeyUsage", serverAuth: true },
        // 2: a name of DNS (RFC 5280, 4.2.1.6).
        { name: "subjectAltName", altNames: [{ type: 2, value: host }] },
        { name: "subjectKeyIdentifier" },
      ],
    );
    return createSecureContext({ cert, key: keys.privateKey, minVersion: "TLSv1.2" });
  };
  return {
    certificate: signed(own.publicKey, name, [
      { name: "basicConstraints", cA: true, pathLenConstraint: 0, critical: true },
      { name: "keyUsage", keyCertSign: true, critical: true },
      { name: "subjectKeyIdentifier" },
    ]),
    contextFor: (host) => {
      const context = contexts.get(host) ?? makeContext(host);
      contexts.set(host, context);
      return context;
    },
  };
}

/**
 * In hexadecimal digits. A first bit that is set would make the number negative, and a first byte of zeros is no number to OpenSSL: DER
 * has each in its shortest form (X.690, 8.3.2).
 */
export function serialNumberOf([first = 0, ...others]: Uint8Array): string {
  return Buffer.from([(first & 0x3f) | 0x40, ...others]).toString("hex");
}

/** The variables by which programs find them: OpenSSL, curl, git, Python's requests, Node.js, which also needs to be told of the proxy. */
export const trustVariables: Readonly<Record<string, string>> = {
  SSL_CERT_FILE: insideTrust,
  CURL_CA_BUNDLE: insideTrust,
  GIT_SSL_CAINFO: insideTrust,
  REQUESTS_CA_BUNDLE: insideTrust,
  NODE_EXTRA_CA_CERTS: insideTrust,
  NODE_USE_ENV_PROXY: "1",
};

/** What the machine trusts, on Debian and on Fedora. */
const storesOfMachine = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/** Our certificate and whatever commands without secrets trust. */
export async function trustBundle({ certificate }: CertificateAuthority): Promise<string> {
  for (const file of storesOfMachine) {
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text !== undefined) return `${certificate}\n${text}`;
  }
  return [certificate, ...rootCertificates, ""].join("\n");
}
