import { stat } from "node:fs/promises";
import { extract, type ReadEntry } from "tar";

/** Rights of an account that a file must not bring along: setuid and setgid. */
const withoutForeignRights = 0o1777;
const shownChars = 100;
const mostReasonChars = 300;

/**
 * Unpacks an archive of ours into a folder, without setuid and setgid bits. Throws one sentence of limited length when it is damaged, when `belongs` refuses an entry, or
 * when it holds more than its own length, as a compressed one does. What was unpacked until then stays.
 */
export async function unpackArchive(
  file: string,
  cwd: string,
  { strict, belongs = () => true }: { readonly strict: boolean; readonly belongs?: (entry: ReadEntry) => boolean },
): Promise<void> {
  const { size } = await stat(file);
  let bytes = 0;
  let refused: string | undefined;
  // What is thrown in here reaches nobody.
  const filter = (path: string, entry: unknown) => {
    if (!isEntry(entry) || refused !== undefined) return false;
    bytes += entry.size;
    if (!belongs(entry)) refused = `${path.slice(0, shownChars)} does not belong there`;
    else if (bytes > size) refused = `${path.slice(0, shownChars)} is longer than the whole file`;
    if (entry.mode !== undefined) entry.mode &= withoutForeignRights;
    return refused === undefined;
  };
  const failed = await extract({ file, cwd, strict, filter }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refused !== undefined) throw new Error(refused);
  if (failed === undefined) return;
  throw new Error(failed instanceof Error ? failed.message.slice(0, mostReasonChars) : "unknown reason", {
    cause: failed,
  });
}

function isEntry(entry: unknown): entry is ReadEntry {
  return typeof entry === "object" && entry !== null && "header" in entry;
}
