import { counted } from "../../counted.ts";
import type { OpenDocument } from "../open-document.ts";

export interface ArchivedFile {
  readonly name: string;
  /** As the archive claims, in bytes. */
  readonly size: number;
  readonly note: string;
}

/** The list of what an archive holds, which is not unpacked. */
export function archiveOf(format: string, files: readonly ArchivedFile[], isWhole = true): OpenDocument {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const encrypted = files.filter(({ note }) => note === "encrypted").length;
  const leaders = files.filter(({ name }) => leadsOut(name)).length;
  return {
    format,
    unit: "text",
    count: 1,
    facts: [
      `${isWhole ? "" : "at least "}${counted(files.length, "entry", "entries")}, ${total} bytes unpacked as it says; unpack it in the workspace to read them`,
      ...(encrypted === 0 ? [] : [`encrypted with a password: ${encrypted} of them`]),
      ...(leaders === 0 ? [] : [`paths that lead out of the folder: ${leaders} of them; unpack with care`]),
    ],
    read: async (_index, sink) => {
      for (const { name, size, note } of files) {
        if (sink.isFull) return;
        const marks = [note, leadsOut(name) ? "leads out" : ""].filter((mark) => mark !== "").join(", ");
        sink.line(
          `${JSON.stringify(name).slice(1, -1)}${name.endsWith("/") ? "" : `  ${size} bytes`}${marks && `  (${marks})`}`,
        );
      }
    },
  };
}

function leadsOut(name: string): boolean {
  return /^([/\\]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(name);
}
