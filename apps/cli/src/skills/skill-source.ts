import { z } from "zod";
import { shownWord } from "../shown-word.ts";

/** Where a skill comes from: one folder of one commit. */
export const skillSourceSchema = z.strictObject({
  url: z.string(),
  /** Within the repository. Empty: the repository is the skill. */
  path: z.string(),
  commit: z.string(),
});
export type SkillSource = z.infer<typeof skillSourceSchema>;

const forms = /^(?:https:\/\/[^\s@]+|ssh:\/\/[^\s-][^\s]*|file:\/\/\/[^\s]+|[\w.]+@[\w.-]+:[^\s-][^\s]*)$/;

/** Reads `GIT-URL[#path]` and `--commit`. Throws a sentence that says what to write instead. */
export function parseSource(address: string, commit: unknown): SkillSource {
  const [url = "", path = "", ...more] = address.split("#");
  if (!forms.test(url))
    throw new Error(
      `${JSON.stringify(url)} is no address of a repository: write https://host/name, ssh://user@host/name, user@host:name or file:///path, without a password`,
    );
  const parts = path === "" ? [] : path.replace(/\/$/, "").split("/");
  if (more.length > 0 || parts.some((part) => part === "" || part === "." || part === ".."))
    throw new Error(`${shownWord(path)} is no folder of a repository: write it behind #, such as #skills/tidy`);
  return { url, path: parts.join("/"), commit: checkedCommit(commit) };
}

export function checkedCommit(commit: unknown): string {
  if (typeof commit === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return commit;
  throw new Error("--commit has to be a whole commit id, 40 digits: a branch or a tag can become another one");
}
