import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { GatewayError } from "@talaria/protocol";

/** Of a path that an error names. */
const mostPathChars = 500;

const notRegular = "it is no regular file";

const maxBytes = 1_048_576;

/**
 * The text of a configuration file; undefined when there is none. Reads at most one byte more than `loadConfig` takes,
 * so that a huge file is refused there and not held in memory. Throws `invalid_request` when it cannot be read.
 */
export async function readConfigFile(file: string): Promise<string | undefined> {
  try {
    // A pipe would keep whoever opens it until somebody writes.
    await using handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await handle.stat();
    if (!found.isFile() && !found.isDirectory()) throw Object.assign(new Error(notRegular), { code: notRegular });
    const { size } = found;
    const buffer = Buffer.alloc(Math.min(size, maxBytes) + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const reason = (cause as NodeJS.ErrnoException).code ?? "unknown reason";
    throw new GatewayError(`the configuration file ${file.slice(0, mostPathChars)} cannot be read: ${reason}`, {
      code: "invalid_request",
      cause,
    });
  }
}
