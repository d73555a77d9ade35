import { emptyMessage, entityTooLarge, invalidField } from "./api-error.ts";
import type { RestRequest } from "./rest-request.ts";
import type { StoredFile } from "./state.ts";

const maxContentLength = 2_000;
const maxNonceLength = 25;
const maxFileBytes = 10 * 1024 * 1024;

/** SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS: what bots may set on messages. */
const settableFlags = (1 << 2) | (1 << 12);

/** The text of a message, at most 2,000 characters; empty when it is absent. */
export function readContent({ content }: RestRequest["body"]): string {
  if (content === undefined || content === null) return "";
  if (typeof content !== "string")
    throw invalidField("content", "STRING_TYPE_CONVERT", "Could not interpret value as string.");
  if (content.length > maxContentLength)
    throw invalidField("content", "BASE_TYPE_MAX_LENGTH", `Must be ${maxContentLength} or fewer in length.`);
  return content.trim();
}

/** Whom a message may notify. Without a word of the bot people in its text are notified. */
export interface AllowedMentions {
  readonly users: boolean;
  /** The author of the message that is answered. */
  readonly repliedUser: boolean;
}

export function readMentions({ allowed_mentions: allowed }: RestRequest["body"]): AllowedMentions {
  if (allowed === undefined) return { users: true, repliedUser: false };
  const parse = typeof allowed === "object" && allowed !== null && "parse" in allowed ? allowed.parse : undefined;
  const isList = Array.isArray(parse) && parse.every((one) => ["roles", "users", "everyone"].includes(String(one)));
  if (parse !== undefined && !isList)
    throw invalidField(
      "allowed_mentions.parse",
      "BASE_TYPE_CHOICES",
      "Value must be one of ('roles', 'users', 'everyone').",
    );
  const repliedUser = (allowed as { replied_user?: unknown }).replied_user ?? false;
  if (typeof repliedUser !== "boolean")
    throw invalidField("allowed_mentions.replied_user", "BOOLEAN_TYPE_CONVERT", "Must be either true or false.");
  return { users: isList && (parse as readonly unknown[]).includes("users"), repliedUser };
}

export function readNonce({ nonce }: RestRequest["body"]): string | number | undefined {
  if (nonce === undefined || nonce === null) return undefined;
  if (typeof nonce !== "string" && !Number.isSafeInteger(nonce))
    throw invalidField("nonce", "NONCE_TYPE_INVALID", "Nonces are strings or integers.");
  if (String(nonce).length > maxNonceLength)
    throw invalidField("nonce", "BASE_TYPE_MAX_LENGTH", `Must be ${maxNonceLength} or fewer in length.`);
  return nonce as string | number;
}

export function readFlags({ flags }: RestRequest["body"]): number | undefined {
  if (flags === undefined || flags === null) return undefined;
  if (!Number.isInteger(flags)) throw invalidField("flags", "NUMBER_TYPE_COERCE", "Value is not int.");
  return (flags as number) & settableFlags;
}

/** The uploaded files. Each needs an entry in `attachments`, and at most 10 MiB. */
export function readFiles({ body, uploads }: RestRequest, nextId: () => string): readonly StoredFile[] {
  const described = Array.isArray(body.attachments) ? (body.attachments as { id?: unknown; filename?: unknown }[]) : [];
  if (uploads.size > 10) throw invalidField("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.");
  for (const { id } of described)
    if (!uploads.has(Number(id)))
      throw invalidField("attachments", "ATTACHMENT_UNKNOWN", `There is no file ${String(id)}.`);
  return [...uploads].map(([number, upload]) => {
    if (upload.bytes.byteLength > maxFileBytes) throw entityTooLarge();
    const entry = described.find(({ id }) => Number(id) === number);
    const filename = typeof entry?.filename === "string" ? entry.filename : upload.name;
    return {
      id: nextId(),
      filename: filename.replace(/[^\w.-]+/g, "_"),
      contentType: upload.mimeType,
      bytes: upload.bytes,
    };
  });
}

export function requireSomething(content: string, files: readonly StoredFile[], components: readonly unknown[]): void {
  if (content === "" && files.length === 0 && components.length === 0) throw emptyMessage();
}
