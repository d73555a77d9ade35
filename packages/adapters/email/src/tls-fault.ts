/** What imapflow's and nodemailer's errors tell about TLS that did not come about. */
interface TlsError {
  readonly code?: unknown;
  /** Nodemailer: what `code` was before it wrote its own into it. */
  readonly originalCode?: unknown;
  /** Nodemailer: the command that failed. */
  readonly command?: unknown;
  /** Imapflow: set without a `code` where the server offers no STARTTLS. */
  readonly tlsFailed?: unknown;
}

/** Why TLS with a server failed and which setting to change, in one sentence. Undefined if something else failed. */
export function tlsFault(error: unknown, server: "imap" | "smtp"): string | undefined {
  const { code, originalCode = code, command, tlsFailed } = (error ?? {}) as TlsError;
  if (command === "STARTTLS" || (tlsFailed === true && code === undefined))
    return `The mail server starts no TLS (no STARTTLS), and without it no password is sent. Set \`${server}.secure\` and \`${server}.port\` as its provider says.`;
  if (originalCode === "ERR_SSL_WRONG_VERSION_NUMBER")
    return `The mail server answers without TLS. Where it wants STARTTLS, set \`${server}.secure\` to false, and \`${server}.port\` as its provider says.`;
  if (originalCode === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `The mail server's certificate is for another name. Set \`${server}.host\` to the name in it.`;
  if (originalCode === "CERT_HAS_EXPIRED" || originalCode === "CERT_NOT_YET_VALID")
    return `The mail server's certificate has expired or is not yet valid. \`${server}.host\` needs a new one, unless the clock of this machine is wrong.`;
  if (typeof originalCode === "string" && unknownAuthority.has(originalCode))
    return `The certificate of \`${server}.host\` comes from an unknown authority. Set the environment variable NODE_EXTRA_CA_CERTS to that authority's PEM file, and restart.`;
  return undefined;
}

const unknownAuthority: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
