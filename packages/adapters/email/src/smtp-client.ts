import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { GatewayError } from "@talaria/protocol";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import httpProxyClient from "nodemailer/lib/smtp-connection/http-proxy-client";
import XOAuth2 from "nodemailer/lib/xoauth2";
import type { EmailConfig } from "./config.ts";
import { type SmtpPhase, smtpError } from "./errors.ts";
import { isThisMachine } from "./imap-client.ts";
import type { ComposedMail } from "./outbound.ts";

/** An answer of the server that takes longer does not come. RFC 5321 allows ten minutes after the text. */
const silentForMs = 5 * 60_000;

/**
 * Hands one mail to the server, once, over a connection of its own. Throws GatewayError; the effect is `unknown` from the
 * moment the text is on its way until the server has answered it.
 */
export async function deliver(
  mail: ComposedMail,
  config: EmailConfig,
  proxy: URL | undefined,
  signal: AbortSignal,
): Promise<void> {
  let phase: SmtpPhase = "connecting";
  if (signal.aborted)
    throw new GatewayError("a mail was aborted before it was sent", { code: "aborted", effect: "none" });
  let connection: SMTPConnection | undefined;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const cut = () => {
    connection?.close();
    failed.reject(signal.reason);
  };
  signal.addEventListener("abort", cut, { once: true });
  try {
    connection = await open(config, proxy);
    connection.on("error", failed.reject);
    // An answer that came with the end says more than the end.
    connection.on("end", () => setImmediate(() => failed.reject(new Error("the mail server ended the connection"))));
    const content = Readable.from(
      (function* () {
        phase = "sending";
        yield mail.raw;
      })(),
      { objectMode: false },
    );
    await Promise.race([converse(connection, mail, content, config), failed.promise]);
    connection.quit();
  } catch (error) {
    connection?.close();
    throw smtpError(error, phase, signal.aborted);
  } finally {
    signal.removeEventListener("abort", cut);
  }
}

async function open({ smtp }: EmailConfig, proxy: URL | undefined): Promise<SMTPConnection> {
  const { host, port, secure } = smtp;
  return new SMTPConnection({
    host,
    port,
    secure,
    requireTLS: !secure && !isThisMachine(host),
    connectionTimeout: 30_000,
    greetingTimeout: 60_000,
    socketTimeout: silentForMs,
    logger: false,
    ...(proxy === undefined ? {} : { connection: await tunnel(proxy, host, port) }),
  });
}

async function converse(
  connection: SMTPConnection,
  { to, raw }: ComposedMail,
  content: Readable,
  { smtp, address }: EmailConfig,
): Promise<void> {
  await call((done) => connection.connect(done));
  const { user = address, password, token } = smtp;
  const login =
    token === undefined
      ? { credentials: { user, pass: password ?? "" } }
      : { oauth2: new XOAuth2({ user, accessToken: token }) };
  await call((done) => connection.login(login, done));
  await call((done) => connection.send({ from: address, to: [to], size: raw.length }, content, done));
}

function call(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    begin((error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** A connection to the server through an HTTP proxy. */
function tunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    httpProxyClient(proxy.href, port, host, (error, socket) => {
      if (socket) resolve(socket);
      else reject(error);
    });
  });
}
