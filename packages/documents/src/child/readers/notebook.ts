import { z } from "zod";
import type { LineSink } from "../line-sink.ts";
import type { OpenDocument } from "../open-document.ts";
import { Refusal } from "../refusal.ts";

/** Texts are one string or lines with their line feeds (nbformat 4). */
const linesSchema = z.union([z.string(), z.array(z.string())]).catch("");
const outputSchema = z.looseObject({
  output_type: z.string().catch(""),
  text: linesSchema.optional(),
  data: z.record(z.string(), z.unknown()).catch({}),
  ename: z.string().catch(""),
  evalue: z.string().catch(""),
});
const cellSchema = z.looseObject({
  cell_type: z.string().catch("raw"),
  source: linesSchema.optional(),
  execution_count: z.int().nullish().catch(null),
  outputs: z.array(outputSchema).catch([]),
});
const notebookSchema = z.looseObject({
  nbformat: z.int(),
  cells: z.array(cellSchema),
  metadata: z.looseObject({ kernelspec: z.looseObject({ display_name: z.string().catch("") }).optional() }).catch({}),
});

type Output = z.infer<typeof outputSchema>;

/** A notebook of Jupyter: its cells with what they have printed. */
export async function openNotebook(bytes: Buffer): Promise<OpenDocument> {
  const { cells, metadata } = parsed(bytes);
  const kernel = metadata.kernelspec?.display_name ?? "";
  return {
    format: "notebook",
    unit: "cell",
    count: cells.length,
    facts: kernel === "" ? [] : [`kernel: ${kernel}`],
    nameOf: (index) => cells[index]?.cell_type,
    read: async (index, sink) => {
      const cell = cells[index];
      if (cell === undefined) return;
      sink.line(textOf(cell.source));
      for (const output of cell.outputs) writeOutput(output, sink);
    },
  };
}

function parsed(bytes: Buffer): z.infer<typeof notebookSchema> {
  try {
    return notebookSchema.parse(JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, "")));
  } catch (cause) {
    throw new Refusal("it is broken, or no notebook of Jupyter 4 or later", { cause });
  }
}

function writeOutput({ output_type: type, text, data, ename, evalue }: Output, sink: LineSink): void {
  sink.line(type === "error" ? `[error] ${ename}: ${evalue}` : "[output]");
  if (text !== undefined) sink.line(plain(textOf(text)));
  const plainText = linesSchema.parse(data["text/plain"] ?? "");
  if (textOf(plainText) !== "") sink.line(plain(textOf(plainText)));
  const others = Object.keys(data).filter((name) => name !== "text/plain" && name !== "text/html");
  if (others.length > 0) sink.line(`[${others.slice(0, 10).join(", ").slice(0, 200)}]`);
}

function textOf(text: string | readonly string[] | undefined): string {
  return typeof text === "string" ? text : (text ?? []).join("");
}

/** Without what colours a terminal. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins what is to be left out.
  return text.replace(/\u001b\[[0-9;]{0,20}[A-Za-z]/g, "");
}
