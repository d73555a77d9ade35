import { pace, revealedSecret } from "@talaria/adapter-kit/settings";
import { z } from "zod";
import { canonicalAddress } from "./addresses.ts";

export const mebibyte = 1024 * 1024;

const secret = revealedSecret(z.string().min(1));

function server(port: number) {
  return z
    .strictObject({
      host: z.string().min(1),
      port: z.int().min(1).max(65_535).default(port),
      /** `true`: TLS from the first byte. `false`: STARTTLS, which only a server on this machine may lack. */
      secure: z.boolean().default(true),
      /** Without it: `address`. */
      user: z.string().min(1).optional(),
      password: secret.optional(),
      /** An OAuth 2 access token, in place of `password`. It is used as it is and not renewed. */
      token: secret.optional(),
    })
    .refine(({ password, token }) => (password === undefined) !== (token === undefined), {
      message: "needs either password or token",
      path: ["password"],
    });
}

const mailbox = z.string().min(1).max(200);

export const emailConfigSchema = z.strictObject({
  imap: server(993),
  smtp: server(465),
  /** The account's own address. Everything is sent from it. */
  address: z.string().refine((text) => canonicalAddress(text) === text, {
    message: "has to be a plain address such as talaria@example.org, with its domain in lower case",
  }),
  /** Name shown beside the address. */
  displayName: z
    .string()
    .max(80)
    .regex(/^[^\r\n]*$/, "has to be one line")
    .optional(),
  /** The name in the receiving server's Authentication-Results. Without it no sender counts as proven. */
  trustedAuthservId: z
    .string()
    .regex(/^[\w.-]+$/, "has to be a name such as mx.example.org")
    .optional(),
  /** How many Received fields may stand above the server's Authentication-Results. */
  receivedAbove: z.int().min(0).max(20).default(0),
  /** Mail whose sender is not proven: recorded only, moved away, or accepted as an unverified claim. */
  unauthenticated: z.enum(["refuse", "quarantine", "accept"]).default("refuse"),
  quarantineMailbox: mailbox.default("Quarantine"),
  mailbox: mailbox.default("INBOX"),
  /** Where the server keeps sent mail: what was sent can then be found again. */
  sentMailbox: mailbox.optional(),
  /** Saves a copy in `sentMailbox`, for servers that do not. */
  appendSent: z.boolean().default(false),
  /** Marks processed mail as read. */
  markSeen: z.boolean().default(true),
  limits: z
    .strictObject({
      /** Largest mail that is read. */
      messageBytes: z
        .int()
        .min(1_024)
        .max(200 * mebibyte)
        .default(25 * mebibyte),
      /** Longest text that is read; the rest is cut. */
      textBytes: z
        .int()
        .min(1_024)
        .max(4 * mebibyte)
        .default(256 * 1024),
      parts: z.int().min(1).max(1_000).default(100),
      depth: z.int().min(1).max(50).default(10),
      /** All files of one mail that is sent, together. */
      sendBytes: z
        .int()
        .min(0)
        .max(100 * mebibyte)
        .default(15 * mebibyte),
      /** New threads of one sender per hour; any more share one thread. */
      threadsPerHour: z.int().min(1).default(30),
    })
    .prefault({}),
  /** Rate limit of mail to one correspondent. */
  pace: pace(5, 10_000),
  /** How often a quiet connection is checked, and how long its answer may take. */
  checkEveryMs: z
    .int()
    .min(10)
    .max(29 * 60_000)
    .default(5 * 60_000),
  answerWithinMs: z.int().min(10).default(60_000),
});

export type EmailConfig = z.output<typeof emailConfigSchema>;
export type MailServerConfig = EmailConfig["imap"];
