import { type TranscriptEntry, transcriptEntrySchema } from "@talaria/agent";
import { type Grant, grantSchema } from "@talaria/policy";
import type { Log } from "@talaria/protocol";
import type { StoredEntry, StoredGrant } from "@talaria/store";

/** Throws when this release can't read one of them: the turn that they belong to is open. */
export function readEntries(entries: readonly StoredEntry[]): readonly TranscriptEntry[] {
  return entries.map((entry) => transcriptEntrySchema.parse(entry));
}

/** An old entry that this release cannot read must not break the conversation: it is left out. */
export function readHistory(entries: readonly StoredEntry[], log: Log): readonly TranscriptEntry[] {
  const parsed = entries.map((entry) => transcriptEntrySchema.safeParse(entry));
  const unreadable = parsed.filter(({ success }) => !success).length;
  if (unreadable > 0) log.error({ count: unreadable }, "entries that this release cannot read were left out");
  return parsed.flatMap(({ data }) => data ?? []);
}

/** One that this release can't read covers nothing: people are asked. */
export function readGrants(grants: readonly StoredGrant[], log: Log): readonly Grant[] {
  return grants.flatMap(({ id, terms, byRole, scope }) => {
    const { data, error } = grantSchema.safeParse({ ...terms, byRole, scope });
    if (error) log.warn({ id, error }, "a grant that this release cannot read was left out");
    return data ?? [];
  });
}
