import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createTransport } from "nodemailer";
import { waitFor } from "../support/wait-for.ts";
import { MailAccountProcess } from "./mail-account-process.ts";
import { type MailCertificates, mailHosts, makeMailCertificates } from "./mail-certificates.ts";
import { type MailPeers, mailDomain, mailPassword, missingMailPeers, startMailPeers } from "./mail-peers.ts";

const missing = missingMailPeers();
const skip = missing.length > 0 && process.env.CI !== "true" ? `needs ${missing.join(", ")}` : false;
const [ann, gw] = [`ann@${mailDomain}`, `gw@${mailDomain}`];
/** What Dovecot and Postfix note when somebody has tried to log in, with whatever password. */
const loginNoted = /Login: user=|auth failed|auth=/;

describe("mail over TLS", { skip }, () => {
  let folder: string;
  let certificates: MailCertificates;
  let peers: MailPeers;

  before(async () => {
    assert.deepEqual(missing, [], "a peer is missing");
    folder = await mkdtemp(join(tmpdir(), "talaria-mail-certificates-"));
    certificates = await makeMailCertificates(folder);
    peers = await startMailPeers(certificates);
  });
  after(async () => {
    await peers?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  function startAccount(host: string, isSecure: { imap: boolean; smtp: boolean }): MailAccountProcess {
    const login = { host, user: gw, password: mailPassword };
    const imap = { ...login, secure: isSecure.imap, port: isSecure.imap ? peers.imapsPort : peers.imapPort };
    const smtp = { ...login, secure: isSecure.smtp, port: isSecure.smtp ? peers.smtpsPort : peers.smtpPort };
    const settings = { imap, smtp, address: gw, trustedAuthservId: `mx.${mailDomain}` };
    return new MailAccountProcess(settings, certificates.authorityFile);
  }

  /** Ann's own program, which does without TLS on this machine. */
  async function write(text: string): Promise<void> {
    const transport = createTransport({ host: "127.0.0.1", port: peers.smtpPort, ignoreTLS: true });
    await transport.sendMail({ from: ann, to: gw, text });
  }

  /** What the servers note from now on; `until` is noted a moment after the client knows. */
  async function noting(): Promise<(...until: readonly RegExp[]) => Promise<string>> {
    const { length } = await peers.log();
    const noted = async () => (await peers.log()).slice(length);
    return async (...until) => {
      for (const words of until) await waitFor(async () => words.test(await noted()), `${words} in the servers' log`);
      return noted();
    };
  }

  const ways = [
    ["from the first byte", true],
    ["by STARTTLS", false],
  ] as const;
  for (const [way, isSecure] of ways)
    it(`reads and sends with TLS ${way}`, async () => {
      const noted = await noting();
      await using account = startAccount(mailHosts.good, { imap: isSecure, smtp: isSecure });
      assert.equal((await account.firstState()).status, "connected");
      await write(`hello ${way}`);
      await account.told("received", ({ received }) => received === `hello ${way}`);
      account.send(ann);
      await account.told("sentTo");
      const log = await noted(/auth=1/);
      assert.match(log, /Login: user=<gw@mail\.test>.* TLS/);
      assert.match(
        log,
        isSecure ? /disconnect from \S+ ehlo=1 auth=1/ : /disconnect from \S+ ehlo=2 starttls=1 auth=1/,
      );
    });

  const refusals = [
    ["of an unknown authority", mailHosts.stranger, "NODE_EXTRA_CA_CERTS"],
    ["for another host name", mailHosts.renamed, "host"],
    ["that has expired", mailHosts.expired, "expired"],
  ] as const;
  for (const [what, host, setting] of refusals)
    it(`sends no password to a server with a certificate ${what}, and says what to set`, async () => {
      const noted = await noting();
      await using first = startAccount(host, { imap: true, smtp: false });
      await using second = startAccount(host, { imap: false, smtp: true });
      for (const account of [first, second]) {
        const state = await account.firstState();
        assert.ok(state.status === "needs-operator", JSON.stringify(state));
        assert.equal(state.code, "invalid_request");
        assert.match(state.hint, new RegExp(setting === "host" ? "`imap\\.host`" : setting));
        account.send(ann);
        const { refused } = await account.told("refused");
        assert.deepEqual([refused.code, refused.effect], ["unavailable", "none"]);
        assert.match(refused.message, new RegExp(setting === "host" ? "`smtp\\.host`" : setting));
      }
      const log = await noted(
        /imap-login: .*Disconnected[\s\S]*imap-login: .*Disconnected/,
        /disconnect[\s\S]*disconnect/,
      );
      assert.doesNotMatch(log, loginNoted);
    });

  it("sends no password to servers that stop offering STARTTLS, and says so", async () => {
    const before = await noting();
    await using account = startAccount(mailHosts.good, { imap: false, smtp: false });
    assert.equal((await account.firstState()).status, "connected");
    await before(/Login: user=.* TLS/);
    const noted = await noting();
    await peers.forgetTls();
    await peers.kick(gw);
    const { state } = await account.told("state", ({ state }) => state.status === "reconnecting" && state.attempt > 2);
    assert.ok(state.status === "reconnecting" && state.code === "unavailable");
    assert.match((await account.told("warned")).warned, /no STARTTLS/);
    account.send(ann);
    const { refused } = await account.told("refused");
    assert.deepEqual([refused.code, refused.effect], ["unavailable", "none"]);
    assert.match(refused.message, /no STARTTLS/);
    const log = await noted(/Disconnected.*no auth attempts/, /disconnect from/);
    assert.doesNotMatch(log, loginNoted);
    await using newcomer = startAccount(mailHosts.good, { imap: false, smtp: false });
    const told = await newcomer.firstState();
    assert.match(told.status === "needs-operator" ? told.hint : "", /`imap\.secure`/);
  });
});
