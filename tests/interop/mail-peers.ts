import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait-for.ts";
import { type MailCertificates, mailHosts } from "./mail-certificates.ts";

const run = promisify(execFile);
const dovecot = "/usr/sbin/dovecot";
const postfix = "/usr/sbin/postfix";
/** Debian's user for mail that belongs to no login. */
const mailUser = 8;

export const mailDomain = "mail.test";
export const mailPassword = "interop-mail-password";
export const maxMailBytes = 1024 * 1024;

/** What is missing for real mail servers: Debian's dovecot-imapd, postfix and openssl, started by root. */
export function missingMailPeers(): readonly string[] {
  return [
    ...(existsSync(dovecot) && existsSync("/usr/lib/dovecot/imap") ? [] : ["dovecot-imapd"]),
    ...(existsSync(postfix) ? [] : ["postfix"]),
    ...(existsSync("/usr/bin/openssl") ? [] : ["openssl"]),
    ...(userInfo().uid === 0 ? [] : ["to be root"]),
  ];
}

/** Dovecot and Postfix for `mail.test`: mailboxes ann, gw and lost; lost is taken and then bounces. */
export interface MailPeers extends AsyncDisposable {
  readonly imapPort: number;
  readonly smtpPort: number;
  /** Here they speak TLS from the first byte, when they have certificates. */
  readonly imapsPort: number;
  readonly smtpsPort: number;
  /** Takes mail for this domain from anybody, also while Dovecot is away: nobody can log in here. */
  readonly mxPort: number;
  /** Ends every IMAP connection of a user, as an administrator would. */
  kick(user: string): Promise<void>;
  stopImap(): Promise<void>;
  startImap(): Promise<void>;
  /** From now on neither server offers TLS to whoever connects. */
  forgetTls(): Promise<void>;
  /** What both servers have noted so far. */
  log(): Promise<string>;
}

/** With certificates `imapPort` and `smtpPort` offer STARTTLS; without, everything is in the clear. */
export async function startMailPeers(certificates?: MailCertificates): Promise<MailPeers> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-mail-"));
  await chmod(folder, 0o755);
  const imap = { plain: await freePort(), tls: await freePort() };
  const smtp = { plain: await freePort(), tls: await freePort(), mx: await freePort() };
  const queue = join(folder, "queue");
  await mkdir(join(folder, "mail"));
  await chown(join(folder, "mail"), mailUser, mailUser);
  for (const name of ["queue", "data", "etc", "run", "state"]) await mkdir(join(folder, name));
  const { stdout } = await run("id", ["-u", "postfix"]);
  await chown(join(folder, "data"), Number(stdout), -1);
  await writeFile(
    join(folder, "users"),
    ["ann", "gw"].map((name) => `${name}@${mailDomain}:{PLAIN}${mailPassword}\n`).join(""),
  );
  await writeFile(join(folder, "etc", "master.cf"), postfixServices(smtp));
  const configure = async (tls?: MailCertificates) => {
    await writeFile(join(folder, "dovecot.conf"), dovecotConfig(folder, imap) + dovecotTls(tls));
    await writeFile(join(folder, "etc", "main.cf"), postfixConfig(folder) + postfixTls(tls));
  };
  await configure(certificates);
  const postfixDo = (command: string) => run(postfix, ["-c", join(folder, "etc"), command], { cwd: "/" });
  let dovecotRun: ChildProcess | undefined;
  const doveadm = (...words: string[]) => run("/usr/bin/doveadm", ["-c", join(folder, "dovecot.conf"), ...words]);
  const log = () => readFile(join(folder, "mail.log"), "utf8").catch(() => "");

  async function startImap(): Promise<void> {
    dovecotRun = spawn(dovecot, ["-F", "-c", join(folder, "dovecot.conf")], {
      cwd: "/",
      stdio: ["ignore", "ignore", "inherit"],
    });
    await waitFor(() => isOpen(imap.plain), "dovecot");
  }

  async function stopImap(): Promise<void> {
    const ending = dovecotRun;
    dovecotRun = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    ending.kill("SIGTERM");
    await once(ending, "exit");
  }

  const dispose = async () => {
    await postfixDo("stop").catch(() => undefined);
    await stopImap();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    // Postfix makes its queue; dovecot then puts its sockets there.
    await postfixDo("start");
    await startImap();
    await waitFor(() => isOpen(smtp.plain), "postfix");
    await waitFor(async () => existsSync(join(queue, "private", "dovecot-auth")), "the login service");
  } catch (error) {
    const words = await log();
    await dispose();
    throw new Error(`the mail servers did not start:\n${words}`, { cause: error });
  }
  return {
    imapPort: imap.plain,
    smtpPort: smtp.plain,
    imapsPort: imap.tls,
    smtpsPort: smtp.tls,
    mxPort: smtp.mx,
    // A login is known to the administrator's tool only a moment later.
    kick: async (user) => {
      await waitFor(() => doveadm("kick", user).then(Boolean, () => false), `a connection of ${user}`);
    },
    startImap,
    stopImap,
    forgetTls: async () => {
      await configure();
      await Promise.all([doveadm("reload"), postfixDo("reload")]);
      await waitFor(async () => !(await greetingOf(imap.plain)).includes("STARTTLS"), "a server without TLS");
    },
    log,
    [Symbol.asyncDispose]: dispose,
  };
}

interface Ports {
  readonly plain: number;
  readonly tls: number;
}

function dovecotConfig(folder: string, ports: Ports): string {
  return `
base_dir = ${join(folder, "run")}
state_dir = ${join(folder, "state")}
log_path = ${join(folder, "mail.log")}
protocols = imap
listen = 127.0.0.1
disable_plaintext_auth = no
auth_mechanisms = plain login
first_valid_uid = 1
mail_location = maildir:${join(folder, "mail")}/%u
passdb {
  driver = passwd-file
  args = ${join(folder, "users")}
}
userdb {
  driver = static
  args = uid=${mailUser} gid=${mailUser} home=${join(folder, "mail")}/%u
}
service imap-login {
  inet_listener imap {
    port = ${ports.plain}
  }
  inet_listener imaps {
    port = ${ports.tls}
    ssl = yes
  }
}
service auth {
  unix_listener ${join(folder, "queue", "private", "dovecot-auth")} {
    mode = 0660
    user = postfix
    group = postfix
  }
}
`;
}

function dovecotTls(certificates: MailCertificates | undefined): string {
  if (certificates === undefined) return "ssl = no\n";
  const { good, expired, stranger } = certificates.files;
  const files = (file: string) => `ssl_cert = <${file}\nssl_key = <${file}\n`;
  const named = (host: string, file: string) => `local_name ${host} {\n${files(file)}}\n`;
  return `ssl = yes\n${files(good)}${named(mailHosts.expired, expired)}${named(mailHosts.stranger, stranger)}`;
}

function postfixConfig(folder: string): string {
  return `
compatibility_level = 3.6
queue_directory = ${join(folder, "queue")}
data_directory = ${join(folder, "data")}
maillog_file = ${join(folder, "mail.log")}
maillog_file_prefixes = ${folder}
myhostname = mx.${mailDomain}
mydestination =
inet_interfaces = loopback-only
inet_protocols = ipv4
alias_maps =
local_recipient_maps =
virtual_mailbox_domains = ${mailDomain}
virtual_mailbox_base = ${join(folder, "mail")}
virtual_mailbox_maps = inline:{ { ann@${mailDomain} = ann@${mailDomain}/ }, { gw@${mailDomain} = gw@${mailDomain}/ }, { lost@${mailDomain} = lost/ } }
virtual_minimum_uid = 1
virtual_uid_maps = static:${mailUser}
virtual_gid_maps = static:${mailUser}
transport_maps = inline:{ { lost@${mailDomain} = fail: } }
message_size_limit = ${maxMailBytes}
mailbox_size_limit = 0
virtual_mailbox_limit = 0
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = private/dovecot-auth
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_sender_restrictions = check_sender_access inline:{ { ann@${mailDomain} = PREPEND Authentication-Results: mx.${mailDomain}; dmarc=pass header.from=${mailDomain} } }
smtpd_recipient_restrictions = reject_unlisted_recipient
notify_classes =
`;
}

function postfixTls(certificates: MailCertificates | undefined): string {
  if (certificates === undefined) return "smtpd_tls_security_level = none\n";
  const { good, expired, stranger } = certificates.files;
  return `
smtpd_tls_security_level = may
smtpd_tls_chain_files = ${good}
tls_server_sni_maps = inline:{ { ${mailHosts.expired} = ${expired} }, { ${mailHosts.stranger} = ${stranger} } }
`;
}

function postfixServices({ plain, tls, mx }: Ports & { readonly mx: number }): string {
  // A process that offers a login asks Dovecot for it when it starts, and ends where that does not answer.
  return `
127.0.0.1:${mx} inet n - n - - smtpd
  -o smtpd_sasl_auth_enable=no
  -o smtpd_relay_restrictions=reject_unauth_destination
127.0.0.1:${plain} inet n - n - - smtpd
127.0.0.1:${tls} inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 1 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
virtual unix - n n - - virtual
fail unix - n n - - pipe
  user=nobody argv=/bin/false
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
`;
}

async function greetingOf(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  try {
    const [data] = await once(socket, "data");
    return String(data);
  } finally {
    socket.destroy();
  }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
