import { defineTool, type ToolResult } from "@talaria/agent";
import { z } from "zod";
import { workspaceOf } from "../workspace-of.ts";
import { digestOf } from "./digest-of.ts";
import { fileResource, workspacePath } from "./file-resource.ts";
import { replaceText } from "./replace-text.ts";
import { readTextFile } from "./text-file.ts";
import { unifiedDiff } from "./unified-diff.ts";

const mostChars = 100_000;

/** Replaces a part of a text file that the model quotes. */
export const editFile = defineTool({
  name: "edit_file",
  description:
    "Replaces text in a workspace file and returns the diff. oldText, without line numbers, must occur exactly once: include the lines " +
    "around the change, or set replaceAll. Indentation may differ.",
  effect: "write",
  permissions: ["fs.read", "fs.write"],
  timeoutMs: 30_000,
  input: z.strictObject({
    path: z.string().min(1).max(4_096),
    oldText: z.string().min(1).max(mostChars),
    newText: z.string().max(mostChars),
    replaceAll: z.boolean().default(false),
  }),
  resources: ({ path }) => [fileResource(path)],
  targets: ({ path }) => [workspacePath(path)],
  async execute({ path, oldText, newText, replaceAll }, context): Promise<ToolResult> {
    const workspace = workspaceOf(context);
    const file = await readTextFile(workspace, path);
    const { text, count, found } = replaceText(file.text, {
      oldText: oldText.replaceAll("\r\n", "\n"),
      newText: newText.replaceAll("\r\n", "\n"),
      replaceAll,
    });
    const bytes = file.toBytes(text);
    await workspace.write(path, bytes);
    const places = count === 1 ? "1 place" : `${count} places`;
    const how = found === "exactly" ? "" : ` It was found ${found}: check the diff.`;
    const kept = file.encoding === "utf-8" ? "" : ` It stays in ${file.encoding}.`;
    return {
      content: `${path}: ${places} changed.${how}${kept}\n${await unifiedDiff(path, file.text, text)}`,
      did: [{ kind: "changed", path, digest: digestOf(bytes) }],
    };
  },
});
