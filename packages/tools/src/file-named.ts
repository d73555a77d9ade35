import type { KnownFile, ToolContext } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";

/** The file that the model means. It can name only what it was shown in this conversation. */
function fileNamed(id: string, files: readonly KnownFile[]): KnownFile {
  const file = files.findLast((one) => one.id === id.trim());
  if (file !== undefined) return file;
  const known = [...new Set(files.map((one) => one.id))].slice(-20);
  const there = known.length === 0 ? "there are none here" : `there are: ${known.join(", ")}`;
  throw new GatewayError(`no attachment has the id "${id.slice(0, 80)}"; ${there}`, {
    code: "not_found",
    // Nothing of any file has been read.
    details: { answered: false },
  });
}

export interface OpenedFile extends KnownFile {
  /** Nobody had fetched it: no result before this one says that it is kept. */
  readonly isFetchedNow?: true;
}

/** The same file with its content at hand: one that nobody has fetched is fetched now. Throws why it can't be had. */
export async function openFile(
  id: string,
  { files, media, signal }: Pick<ToolContext, "files" | "media" | "signal">,
): Promise<OpenedFile> {
  const { unopened, ...file } = fileNamed(id, files);
  if (unopened === undefined) return file;
  if (media.open === undefined) throw new GatewayError("this file can't be fetched here", { code: "unsupported" });
  return { ...file, ...(await media.open({ ...file, unopened }, signal)), isFetchedNow: true };
}
