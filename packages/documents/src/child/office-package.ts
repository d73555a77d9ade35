import { posix } from "node:path";
import { Refusal } from "./refusal.ts";
import { attribute, readXml } from "./xml.ts";
import type { ZipParts } from "./zip-parts.ts";

/** A relation of a part to another part, or to an address outside. */
export interface Relation {
  readonly id: string;
  /** The last word of its type: `worksheet`. */
  readonly type: string;
  /** A part's name, or the address. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** A document of Office Open XML (ECMA-376): parts with relations. */
export interface OfficePackage {
  readonly parts: ZipParts;
  readonly kind: "document" | "workbook" | "presentation" | undefined;
  /** Name of the main part. */
  readonly main: string;
  /** Of the main part. */
  readonly relations: readonly Relation[];
  /** Title, author, last change, macros. */
  readonly facts: readonly string[];
}

const mostRelations = 100_000;

export async function openPackage(parts: ZipParts): Promise<OfficePackage> {
  const top = parts.has("_rels/.rels") ? await readRelations(parts, "") : [];
  const main = top.find(({ type }) => type === "officeDocument")?.target ?? guessed(parts);
  if (main === undefined || !parts.has(main)) return { parts, kind: undefined, main: "", relations: [], facts: [] };
  const relations = await relationsOf(parts, main);
  const core = top.find(({ type }) => type === "core-properties")?.target;
  const told = core !== undefined && parts.has(core) ? await properties(parts, core) : [];
  return { parts, kind: kindOf(main), main, relations, facts: [...told, ...macrosIn(parts)] };
}

export async function relationsOf(parts: ZipParts, part: string): Promise<readonly Relation[]> {
  const name = relationsName(part);
  return parts.has(name) ? await readRelations(parts, part) : [];
}

async function readRelations(parts: ZipParts, part: string): Promise<readonly Relation[]> {
  const relations: Relation[] = [];
  await readXml(parts.chunks(part === "" ? "_rels/.rels" : relationsName(part)), {
    open: (name, attributes) => {
      if (name !== "Relationship") return;
      if (relations.length >= mostRelations)
        throw new Refusal(`it has more than ${mostRelations} relations in one part`);
      const isExternal = attribute(attributes, "TargetMode") === "External";
      const target = attribute(attributes, "Target") ?? "";
      relations.push({
        id: attribute(attributes, "Id") ?? "",
        type: (attribute(attributes, "Type") ?? "").split("/").at(-1) ?? "",
        target: isExternal ? target : posix.resolve("/", posix.dirname(part), target).slice(1),
        isExternal,
      });
    },
  });
  return relations;
}

function relationsName(part: string): string {
  return posix.join(posix.dirname(part), "_rels", `${posix.basename(part)}.rels`);
}

function guessed(parts: ZipParts): string | undefined {
  return ["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"].find((name) => parts.has(name));
}

function kindOf(main: string): OfficePackage["kind"] {
  if (/(^|\/)word\//.test(main) || /document\d*\.xml$/.test(main)) return "document";
  if (/(^|\/)xl\//.test(main) || /workbook\d*\.xml$/.test(main)) return "workbook";
  return /(^|\/)ppt\//.test(main) || /presentation\d*\.xml$/.test(main) ? "presentation" : undefined;
}

const told: Readonly<Record<string, string>> = { title: "title", creator: "by", modified: "changed" };

async function properties(parts: ZipParts, part: string): Promise<readonly string[]> {
  const facts: string[] = [];
  let label: string | undefined;
  let value = "";
  await readXml(parts.chunks(part), {
    open: (name) => {
      label = Object.hasOwn(told, name) ? told[name] : undefined;
      value = "";
    },
    text: (text) => {
      if (label !== undefined && value.length < 300) value += text;
    },
    close: () => {
      if (label !== undefined && value.trim() !== "") facts.push(`${label}: ${value.trim().slice(0, 300)}`);
      label = undefined;
    },
  });
  return facts.slice(0, 3);
}

/** They are named and never run. */
function macrosIn(parts: ZipParts): readonly string[] {
  const names = parts.entries.filter(({ name }) =>
    /(^|\/)(vbaProject|xlmacro\w*)\.bin$|(^|\/)macrosheets\//i.test(name),
  );
  return names.length === 0
    ? []
    : [
        `has macros, which are not run: ${names
          .map(({ name }) => name)
          .slice(0, 5)
          .join(", ")}`,
      ];
}
