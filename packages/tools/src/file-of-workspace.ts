import { claimedTypeOf, type KeptMedia, safeFileName, type ToolContext, type Workspace } from "@talaria/agent";
import { GatewayError, isGatewayError } from "@talaria/protocol";
import { workspaceOf } from "./workspace-of.ts";

interface Limits {
  readonly ofPlatform: number;
  readonly ofOperator: number;
}

/** What is held of a file at once. */
const pieceBytes = 4 * 1_024 * 1_024;
const archiveMs = 120_000;
/** Hidden, so that nobody takes it for a file of theirs. */
const archiveFolder = ".output";

/**
 * A file of the workspace, kept, under a name that every system takes; a folder as an archive. Throws `too_large` above `maxBytes`,
 * which are those of the platform, or above what the operator has kept where that is less, with the limit that counts and what may be
 * done about it.
 */
export async function fileOfWorkspace(
  path: string,
  platformBytes: number,
  context: ToolContext,
): Promise<KeptMedia & { readonly name: string }> {
  const workspace = workspaceOf(context);
  const maxBytes = { ofPlatform: platformBytes, ofOperator: context.media.mostBytes ?? platformBytes };
  try {
    return await keptFile(path, nameOf(path), maxBytes, workspace, context);
  } catch (error) {
    if (isGatewayError(error, "invalid_request") && error.message === `${path} does not exist`)
      throw notThere(error, workspace);
    if (!isGatewayError(error, "invalid_request") || !(await isFolder(workspace, path))) throw error;
    return await keptArchive(path, maxBytes, workspace, context);
  }
}

/** A shell that has gone to another folder reads the same words otherwise. */
function notThere(error: GatewayError, { folder }: Workspace): GatewayError {
  return new GatewayError(`${error.message}; paths count from ${folder}, wherever the shell of the terminal stands`, {
    code: "invalid_request",
    cause: error,
  });
}

async function keptFile(
  path: string,
  name: string,
  limits: Limits,
  workspace: Workspace,
  { media, signal }: ToolContext,
): Promise<KeptMedia & { readonly name: string }> {
  const { size } = await workspace.read(path, { length: 0 });
  if (size > mostOf(limits)) throw tooLarge(path, size, limits);
  if (size === 0) throw new GatewayError(`${path} is empty: there is nothing to send`, { code: "invalid_request" });
  const shownName = safeFileName(name, "");
  const content = piecesOf(path, size, workspace, signal);
  try {
    const { ref, mimeType, byteLength } = await media.put(content, claimedTypeOf(shownName) ?? "", signal);
    return { ref, mimeType, byteLength, name: shownName };
  } catch (error) {
    if (isGatewayError(error, "too_large") && error.details.reason === "bytes")
      throw tooLarge(path, size, { ...limits, ofOperator: Number(error.details.limit) });
    throw error;
  }
}

async function* piecesOf(
  path: string,
  size: number,
  workspace: Workspace,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < size; ) {
    signal.throwIfAborted();
    const slice = await workspace.read(path, { start, length: Math.min(pieceBytes, size - start) });
    if (slice.size !== size || slice.bytes.byteLength === 0)
      throw new GatewayError(`${path} changed while it was read: send it once nothing writes to it`, {
        code: "invalid_request",
      });
    yield slice.bytes;
    start += slice.bytes.byteLength;
  }
}

/** Made by whatever is installed: people open a `.zip` everywhere. */
async function keptArchive(path: string, limits: Limits, workspace: Workspace, context: ToolContext) {
  const target = `${archiveFolder}/${context.callId.replace(/\W/g, "").slice(-24)}`;
  const { output, end } = await workspace.exec(
    { command: ["/bin/sh", "-c", archiveScript, "sh", path, target] },
    { timeoutMs: archiveMs, signal: context.signal, maxOutputChars: 2_000 },
  );
  const ending = /^made (zip|tar\.gz)$/m.exec(output)?.[1];
  try {
    if (end.kind !== "exit" || end.code !== 0 || ending === undefined) {
      const why = output.trim().slice(-300) || end.kind;
      throw new GatewayError(`${path} could not be made an archive: ${why}`, { code: "invalid_request" });
    }
    return await keptFile(`${target}.${ending}`, `${nameOf(path)}.${ending}`, limits, workspace, context);
  } catch (error) {
    if (isGatewayError(error, "too_large") && error.details.size !== undefined)
      throw tooLarge(`The archive of ${path}`, Number(error.details.size), {
        ...limits,
        ofOperator: Math.min(limits.ofOperator, Number(error.details.most)),
      });
    throw error;
  } finally {
    await workspace
      .exec(
        { command: ["/bin/sh", "-c", 'rm -f -- "$1.zip" "$1.tar.gz"', "sh", target] },
        { timeoutMs: 10_000, signal: new AbortController().signal, maxOutputChars: 200 },
      )
      .catch(() => undefined);
  }
}

/** `$1` the folder, `$2` the archive without its ending. Links are kept as links where the program can. */
const archiveScript = `
set -e
mkdir -p -- "$(dirname -- "$2")"
top=$(cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")
folder=$(cd -- "$1" && pwd -P)
# What a worker that died has left of it would be added to.
rm -f -- "$top.zip" "$top.tar.gz"
cd -- "$folder/.."
name=$(basename -- "$folder")
if command -v zip >/dev/null; then
  zip -q -r -y "$top.zip" -- "$name" -x "$name/.output/*" >&2 && echo "made zip"
elif command -v python3 >/dev/null; then
  python3 - "$top.zip" "$name" >&2 <<'END' && echo "made zip"
import os, sys, zipfile
target, top = sys.argv[1:]
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
    for folder, folders, files in os.walk(top):
        folders[:] = [one for one in folders if os.path.join(folder, one) != os.path.join(top, ".output")]
        if not folders and not files:
            archive.write(folder)
        for one in files:
            path = os.path.join(folder, one)
            if os.path.isfile(path):
                archive.write(path)
END
else
  tar -czf "$top.tar.gz" --exclude="$name/.output" -- "$name" >&2 && echo "made tar.gz"
fi
`;

async function isFolder(workspace: Workspace, path: string): Promise<boolean> {
  return await workspace.list(path, 1).then(
    () => true,
    () => false,
  );
}

function nameOf(path: string): string {
  return path.split("/").findLast((part) => part !== "" && part !== "." && part !== "..") ?? "workspace";
}

function mostOf({ ofPlatform, ofOperator }: Limits): number {
  return Math.min(ofPlatform, ofOperator);
}

function tooLarge(path: string, size: number, limits: Limits): GatewayError {
  const { ofPlatform, ofOperator } = limits;
  const most = mostOf(limits);
  const whose =
    ofOperator < ofPlatform
      ? ` (media.maxBytes; its operator may raise that, this platform takes ${ofPlatform})`
      : " (the limit of this platform)";
  return new GatewayError(
    `${path} has ${size} bytes, and at most ${most} can be sent here${whose}: make it smaller, send a part, pack it into an archive, or split ` +
      "that with `split -b` and send the parts",
    { code: "too_large", details: { size, most } },
  );
}
