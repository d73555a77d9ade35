import { defineTool } from "@talaria/agent";
import { z } from "zod";
import { workspaceOf } from "../workspace-of.ts";
import { fileResource, workspacePath } from "./file-resource.ts";
import { replaceText } from "./replace-text.ts";
import { mostEditedBytes, readTextFile } from "./text-file.ts";
import { unifiedDiff } from "./unified-diff.ts";

const mostChars = 100_000;

/** Replaces a part of a text file that the model quotes. */
export const editFile = defineTool({
  name: "edit_file",
  description:
    "Replaces a part of a text file of the workspace. oldText must stand in the file once, so give enough lines around the " +
    "change; differences in indentation and in spaces at line ends are forgiven. You read what changed as a diff. Files up to " +
    `${mostEditedBytes} bytes, texts up to ${mostChars} characters.`,
  effect: "write",
  permissions: ["fs.read", "fs.write"],
  timeoutMs: 30_000,
  input: z.strictObject({
    path: z.string().min(1).max(4_096).describe("Relative to the workspace, or absolute as commands in it see it."),
    oldText: z.string().min(1).max(mostChars).describe("What stands there now, without line numbers."),
    newText: z.string().max(mostChars).describe("What is to stand there. Empty: delete it."),
    replaceAll: z.boolean().default(false).describe("Replace every exact occurrence."),
  }),
  resources: ({ path }) => [fileResource(path)],
  targets: ({ path }) => [workspacePath(path)],
  async execute({ path, oldText, newText, replaceAll }, context) {
    const workspace = workspaceOf(context);
    const file = await readTextFile(workspace, path);
    const { text, count, found } = replaceText(file.text, {
      oldText: oldText.replaceAll("\r\n", "\n"),
      newText: newText.replaceAll("\r\n", "\n"),
      replaceAll,
    });
    await workspace.write(path, file.toBytes(text));
    const places = count === 1 ? "1 place" : `${count} places`;
    const how = found === "exactly" ? "" : ` It was found ${found}: check the diff.`;
    return { content: `${path}: ${places} changed.${how}\n${await unifiedDiff(path, file.text, text)}` };
  },
});
