import { defineTool, oneLine } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { openFile } from "./file-named.ts";

const mostChars = 1_000_000;

/** Puts a file into the reply. The same call gives the same content again, so it may run twice. */
export const sendFile = defineTool({
  name: "send_file",
  description:
    "Attaches a file to your reply: either a new text file (content) or a file of this conversation (attachment). It is sent " +
    "together with your answer, so say there what it is.",
  effect: "read",
  permissions: ["send"],
  input: z.strictObject({
    name: z.string().min(1).describe('With its extension, such as "report.csv".'),
    content: z.string().max(mostChars).optional(),
    attachment: z.string().optional().describe("Id of a file that is already here."),
  }),
  async execute({ name, content, attachment }, context) {
    if ((content === undefined) === (attachment === undefined)) {
      throw new GatewayError("give either content or attachment", { code: "invalid_request" });
    }
    const shownName = safeName(name);
    const kept =
      content === undefined
        ? await openFile(attachment ?? "", context)
        : await context.media.put(Buffer.from(content, "utf8"), typeOf(shownName), context.signal);
    const { ref, mimeType, byteLength } = kept;
    return {
      content: `"${shownName}" (${mimeType}, ${byteLength} bytes) goes out with your answer.`,
      reply: { attachments: [{ ref, mimeType, byteLength, name: shownName }] },
    };
  },
});

const types: Readonly<Record<string, string>> = {
  csv: "text/csv",
  md: "text/markdown",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  xml: "application/xml",
  ics: "text/calendar",
};

function typeOf(name: string): string {
  return types[/\.([a-z]{2,4})$/i.exec(name)?.[1]?.toLowerCase() ?? ""] ?? "text/plain";
}

/** A name without folders, which no system takes for something else. */
function safeName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  const plain = oneLine(last.replace(/[:*?"<>|]/g, "_")).replace(/^[.\s]+|[.\s]+$/g, "");
  return plain === "" ? "file.txt" : plain;
}
