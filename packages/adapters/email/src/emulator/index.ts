export type { ImapMailbox, StoredMail } from "./imap-mailbox.ts";
export type { ImapServer } from "./imap-server.ts";
export type { ImapFault } from "./imap-world.ts";
export { MailServer, type MailServerOptions, type SayByMail, startMailServer } from "./mail-server.ts";
export { type SeenMail, seenMail } from "./seen-mail.ts";
export { setupCase } from "./setup-case.ts";
export type { SmtpFault } from "./smtp-sink.ts";
export { startStage } from "./stage.ts";
export { type MailFacts, writeMail } from "./write-mail.ts";
