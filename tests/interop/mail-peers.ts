import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait-for.ts";

const run = promisify(execFile);
const dovecot = "/usr/sbin/dovecot";
const postfix = "/usr/sbin/postfix";
/** Debian's user for mail that belongs to no login. */
const mailUser = 8;

export const mailDomain = "mail.test";
export const mailPassword = "interop-mail-password";
export const maxMailBytes = 1024 * 1024;

/** What is missing for real mail servers: Debian's dovecot-imapd and postfix, started by root. */
export function missingMailPeers(): readonly string[] {
  return [
    ...(existsSync(dovecot) && existsSync("/usr/lib/dovecot/imap") ? [] : ["dovecot-imapd"]),
    ...(existsSync(postfix) ? [] : ["postfix"]),
    ...(userInfo().uid === 0 ? [] : ["to be root"]),
  ];
}

/** Dovecot and Postfix for `mail.test`: mailboxes ann, gw and lost; lost is taken and then bounces. */
export interface MailPeers extends AsyncDisposable {
  readonly imapPort: number;
  readonly smtpPort: number;
  /** Ends every IMAP connection of a user, as an administrator would. */
  kick(user: string): Promise<void>;
  stopImap(): Promise<void>;
  startImap(): Promise<void>;
}

export async function startMailPeers(): Promise<MailPeers> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-mail-"));
  await chmod(folder, 0o755);
  const [imapPort, smtpPort] = [await freePort(), await freePort()];
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
  await writeFile(join(folder, "dovecot.conf"), dovecotConfig(folder, imapPort));
  await writeFile(join(folder, "etc", "main.cf"), postfixConfig(folder));
  await writeFile(join(folder, "etc", "master.cf"), postfixServices(smtpPort));
  const postfixDo = (command: string) => run(postfix, ["-c", join(folder, "etc"), command], { cwd: "/" });
  let imap: ChildProcess | undefined;
  let words = "";

  async function startImap(): Promise<void> {
    imap = spawn(dovecot, ["-F", "-c", join(folder, "dovecot.conf")], { cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [imap.stdout, imap.stderr])
      stream?.on("data", (data: Buffer) => {
        words = (words + data.toString("utf8")).slice(-4_000);
      });
    await waitFor(() => isOpen(imapPort), "dovecot");
  }

  async function stopImap(): Promise<void> {
    const ending = imap;
    imap = undefined;
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
    await waitFor(() => isOpen(smtpPort), "postfix");
    await waitFor(async () => existsSync(join(queue, "private", "dovecot-auth")), "the login service");
  } catch (error) {
    await dispose();
    throw new Error(`the mail servers did not start:\n${words}`, { cause: error });
  }
  return {
    imapPort,
    smtpPort,
    // A login is known to the administrator's tool only a moment later.
    kick: async (user) => {
      const kick = () => run("/usr/bin/doveadm", ["-c", join(folder, "dovecot.conf"), "kick", user]);
      await waitFor(() => kick().then(Boolean, () => false), `a connection of ${user}`);
    },
    startImap,
    stopImap,
    [Symbol.asyncDispose]: dispose,
  };
}

function dovecotConfig(folder: string, port: number): string {
  return `
base_dir = ${join(folder, "run")}
state_dir = ${join(folder, "state")}
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl = no
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
    port = ${port}
  }
  inet_listener imaps {
    port = 0
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

function postfixConfig(folder: string): string {
  return `
compatibility_level = 3.6
queue_directory = ${join(folder, "queue")}
data_directory = ${join(folder, "data")}
maillog_file = ${join(folder, "postfix.log")}
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
smtpd_tls_security_level = none
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_sender_restrictions = check_sender_access inline:{ { ann@${mailDomain} = PREPEND Authentication-Results: mx.${mailDomain}; dmarc=pass header.from=${mailDomain} } }
smtpd_recipient_restrictions = reject_unlisted_recipient
notify_classes =
`;
}

function postfixServices(port: number): string {
  return `
127.0.0.1:${port} inet n - n - - smtpd
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
postlog unix-dgram n - n - 1 postlogd
`;
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
