import type { HandedSecret } from "./secret.ts";

export type Headers = Readonly<Record<string, readonly string[] | undefined>>;

export interface PutIn {
  readonly headers: Record<string, readonly string[]>;
  /** What must not come back, however it is spelt: each value that was put in. Empty: none was. */
  readonly values: readonly string[];
}

/**
 * Puts values in where their handles stand: in each secret's own header, and there as the whole of the credentials, so that no
 * other text can carry a value along. `secrets` are those for the host that the request goes to.
 */
export function putIn(headers: Headers, secrets: readonly HandedSecret[]): PutIn {
  const values = new Set<string>();
  const put = Object.entries(headers).map(([name, texts = []]) => {
    const own = secrets.filter(({ header }) => header === name);
    return [
      name,
      texts.map((text) => own.reduce((before, secret) => withValue(before, secret, values), text)),
    ] as const;
  });
  return { headers: Object.fromEntries(put), values: [...values] };
}

function withValue(text: string, secret: HandedSecret, values: Set<string>): string {
  const { handle, value, template, header } = secret;
  const words = text.trim().split(/\s+/);
  if (words.length <= 2 && words.at(-1) === handle) {
    values.add(value);
    return template.replaceAll("{value}", () => value);
  }
  const basic = header === "authorization" && words.length === 2 && words[0]?.toLowerCase() === "basic";
  return basic ? basicWithValue(text, words[1] ?? "", secret, values) : text;
}

/** RFC 7617: the name and the password, with the first colon between them, in base64. */
function basicWithValue(text: string, given: string, { handle, value }: HandedSecret, values: Set<string>): string {
  const login = Buffer.from(given, "base64").toString("latin1");
  const colon = login.indexOf(":");
  if (colon === -1) return text;
  const parts = [login.slice(0, colon), login.slice(colon + 1)];
  if (!parts.includes(handle)) return text;
  const credentials = Buffer.from(parts.map((part) => (part === handle ? value : part)).join(":"), "latin1");
  values.add(value).add(credentials.toString("base64"));
  return `Basic ${credentials.toString("base64")}`;
}
