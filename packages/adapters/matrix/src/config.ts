import { baseAddress, pace, revealedSecret } from "@talaria/adapter-kit/settings";
import { z } from "zod";

const secret = revealedSecret(z.string().min(1, "is empty"));

const userIdText = z.string().regex(/^@[^\s:]+:\S+$/, "is not a user id such as @ada:example.org");
const inviter = z
  .string()
  .regex(/^(@[^\s:]+:\S+|!\S+)$/, "names neither a user (@ada:example.org) nor a room (!abc:example.org)");

/** Base58 in groups, as clients show it: spaces do not count. */
const recoveryKeyText = z
  .string()
  .transform((text) => text.replaceAll(/\s/g, ""))
  .pipe(z.string().regex(/^E[1-9A-HJ-NP-Za-km-z]{47}$/, "is not a recovery key: it begins with E and has 48 letters"));

export const matrixConfigSchema = z.strictObject({
  /** Base address of the homeserver's client API: `https://matrix.example.org`. */
  homeserver: baseAddress,
  /** Of a device made for this account alone. Without it: `user` and `password`. */
  accessToken: secret.optional(),
  /** Logs in once; the device and its token are remembered. */
  user: userIdText.optional(),
  password: secret.optional(),
  /** Reads and writes encrypted rooms. */
  encryption: z.boolean().default(true),
  /** Opens the account's secret storage, or makes one: cross-signing, and keys of messages from before. */
  recoveryKey: revealedSecret(recoveryKeyText).optional(),
  /** Whose messages count in encrypted rooms: any device of the sender, or those that the sender cross-signed. */
  trust: z.enum(["any", "cross-signed"]).default("any"),
  /** Which invitations are accepted: none, those by listed users or into listed rooms, or every one. */
  invites: z
    .union([z.enum(["off", "open"]), z.strictObject({ allow: z.array(inviter).min(1, 'is empty: say "off"') })])
    .default("off"),
  /** Shows people that their message was read, once it is recorded. */
  readReceipts: z.boolean().default(true),
  /** Rate limit per room; sends and edits count. */
  pace: pace(5, 1_000),
  /** Shortest pause between two updates of a growing reply. Each one is stored by every server of the room for good. */
  updateIntervalMs: z.int().min(500).default(2_500),
});

export type MatrixConfig = z.output<typeof matrixConfigSchema>;
