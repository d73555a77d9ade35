/**
 * Parts of a login. `access` is all that a request needs; `renewal` is read by whoever renews it; `client` is what the provider
 * knows this installation by, and stays after a logout.
 */
export type LoginPart = "access" | "renewal" | "client";

/** Where logins are kept: one secret text for each part. */
export interface ModelLogins {
  load(login: string, part: LoginPart): Promise<string | undefined>;
  save(login: string, part: LoginPart, secret: string): Promise<void>;
  forget(login: string, part: LoginPart): Promise<void>;
  /** Runs `work` unless another process runs some for the same login: false then, at once. */
  alone(login: string, work: () => Promise<void>): Promise<boolean>;
}

/** What the provider gave for requests, or why it gives nothing any more. Instants in milliseconds since 1970. */
export type KeptAccess =
  | { readonly token: string; readonly expiresAt: number }
  /** The provider's word for it. */
  | { readonly ended: string };

export interface KeptClient {
  /** This installation, for the provider. */
  readonly hostId: string;
  /** Issued by the provider when somebody first logs in. */
  readonly clientId?: string;
  /** Whose login it is. */
  readonly subject?: string;
  /** They logged in without letting us use their plan, so they are asked again. */
  readonly isDeclined?: boolean;
}

/** Undefined when nothing is kept, or nothing that can be read. */
export async function loadAccess(logins: ModelLogins, login: string): Promise<KeptAccess | undefined> {
  const kept = parsed(await logins.load(login, "access"));
  if (typeof kept.ended === "string") return { ended: kept.ended };
  const { token, expiresAt } = kept;
  return typeof token === "string" && typeof expiresAt === "number" ? { token, expiresAt } : undefined;
}

export async function loadClient(logins: ModelLogins, login: string): Promise<KeptClient | undefined> {
  const { hostId, clientId, subject, isDeclined } = parsed(await logins.load(login, "client"));
  if (typeof hostId !== "string") return undefined;
  return {
    hostId,
    ...(typeof clientId === "string" && { clientId }),
    ...(typeof subject === "string" && { subject }),
    ...(isDeclined === true && { isDeclined }),
  };
}

export async function saveAccess(logins: ModelLogins, login: string, access: KeptAccess): Promise<void> {
  await logins.save(login, "access", JSON.stringify(access));
}

export async function saveClient(logins: ModelLogins, login: string, client: KeptClient): Promise<void> {
  await logins.save(login, "client", JSON.stringify(client));
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
