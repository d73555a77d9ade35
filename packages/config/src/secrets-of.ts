import { soundsSecret } from "./references.ts";
import { Secret } from "./secret.ts";

/**
 * Every text below `value` that must never be printed: each `Secret`, the password of each address, and texts whose key
 * sounds secret.
 */
export function secretsOf(value: unknown, key = ""): readonly string[] {
  if (value instanceof Secret) return [value.reveal(), ...passwordsOf(value.reveal())];
  if (typeof value === "string") return soundsSecret(key) ? [value] : passwordsOf(value);
  if (Array.isArray(value)) return value.flatMap((item) => secretsOf(item, key));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => secretsOf(item, name));
}

/** The password of `scheme://user:password@host`, as written and decoded. */
function passwordsOf(text: string): readonly string[] {
  if (!text.includes("://") || !URL.canParse(text)) return [];
  const { password } = new URL(text);
  if (password === "") return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
