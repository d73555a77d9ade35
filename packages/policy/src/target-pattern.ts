import type { Permission, Target } from "@talaria/protocol";
import { readCommandPattern } from "./command-pattern.ts";
import type { PatternReading } from "./pattern.ts";
import { readUrlPattern } from "./url-pattern.ts";

/** What each permission touches. The others have no targets. */
const kinds: Readonly<Partial<Record<Permission, Target["kind"]>>> = {
  "fs.read": "path",
  "fs.write": "path",
  exec: "command",
  net: "url",
  send: "recipient",
  secret: "secret",
};

const mostChars = 500;

export function targetKindOf(permission: Permission): Target["kind"] | undefined {
  return kinds[permission];
}

/** Reads the `target` of a rule for `permission`. `mayWiden`: the rule allows. */
export function readPattern(permission: Permission, text: string, mayWiden: boolean): PatternReading {
  const kind = kinds[permission];
  if (kind === undefined) return { fault: `\`${permission}\` has no targets: leave it out` };
  const fault = textFault(text);
  if (fault !== undefined) return { fault };
  if (kind === "url") return readUrlPattern(text);
  if (kind === "command") return readCommandPattern(text, mayWiden);
  if (kind === "secret") return readSecretName(text);
  return kind === "path" ? readPathPattern(text) : readRecipient(text);
}

/** Reads one entry of the operator's list of trusted targets: an address or a recipient. */
export function readTrusted(text: string): PatternReading {
  const fault = textFault(text);
  if (fault !== undefined) return { fault };
  return /^[a-z][a-z0-9-]*:(?:user|group):/.test(text) ? readRecipient(text) : readUrlPattern(text);
}

function textFault(text: string): string | undefined {
  if (text.trim() === "" || text.trim() !== text) return "must not be empty, nor begin or end with a blank";
  if (text.length > mostChars) return `may have at most ${mostChars} characters`;
  return /[\p{Cc}\p{Cf}]/u.test(text) ? "has invisible characters" : undefined;
}

function readRecipient(text: string): PatternReading {
  if (!/^[a-z][a-z0-9-]*:(?:user|group):\S+$/.test(text) || text.includes("*"))
    return { fault: "must be a recipient such as telegram:user:123456 or slack:group:C024BE91L, without a star" };
  const folded = foldedText(text);
  return {
    pattern: {
      text,
      kind: "recipient",
      weight: 1_000,
      matches: (target, isStrict) =>
        target.kind === "recipient" && (isStrict ? target.recipient === text : foldedText(target.recipient) === folded),
    },
  };
}

function readSecretName(text: string): PatternReading {
  if (!/^[a-z][a-z0-9_]*$/.test(text))
    return { fault: "must be the name of a secret in `sandbox.secrets`, without a star" };
  const matches = (target: Target) => target.kind === "secret" && target.name === text;
  return { pattern: { text, kind: "secret", weight: 1_000, matches } };
}

function readPathPattern(text: string): PatternReading {
  const isPrefix = text.endsWith("/*") || text.endsWith("/**");
  const start = isPrefix ? text.replace(/\*+$/, "") : text;
  if (start.includes("*")) return { fault: "may have a star only as its last part, as in `notes/*`" };
  if (start.split("/").includes("..")) return { fault: "must not have `..`" };
  const wanted = plainPath(start);
  const fits = (path: string, own: string) => (isPrefix ? path.startsWith(`${own}/`) : path === own);
  return {
    pattern: {
      text,
      kind: "path",
      weight: (isPrefix ? 0 : 1_000) + start.length,
      matches: (target, isStrict) => {
        if (target.kind !== "path") return false;
        const path = plainPath(target.path);
        if (isStrict) return !path.split("/").includes("..") && fits(path, wanted);
        return fits(foldedText(withoutParents(path)), foldedText(wanted));
      },
    },
  };
}

/** Without `.`, doubled slashes and a slash at the end. */
function plainPath(path: string): string {
  const parts = path.split("/").filter((part, index) => part !== "." && (part !== "" || index === 0));
  return parts.join("/");
}

function withoutParents(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "") parts.pop();
    else if (part !== "..") parts.push(part);
  }
  return parts.join("/");
}

/** For comparing what a file system or a mail server may take for the same. */
function foldedText(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
