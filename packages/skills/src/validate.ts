import { type Fault, fatal, harmless } from "./fault.ts";
import type { SkillFields } from "./skill.ts";

// Limits and rules are those of https://agentskills.io/specification, and where its words leave room, those of its reference
// (`skills-ref/src/skills_ref/validator.py` of https://github.com/agentskills/agentskills). Lengths count code points, as Python does.
const mostNameChars = 64;
const mostDescriptionChars = 1_024;
const mostCompatibilityChars = 500;
const knownFields = ["name", "description", "license", "allowed-tools", "metadata", "compatibility"];

/**
 * Checks a front matter against the specification. What other clients write there besides is named and left out, as "Lenient validation" of
 * the guide for clients has it; what the agent would call or show has to be right.
 */
export function validate(
  fields: Readonly<Record<string, unknown>>,
  folder: string,
): { readonly fields: SkillFields | undefined; readonly faults: readonly Fault[] } {
  const name = textOf(fields.name)?.normalize("NFKC");
  const description = textOf(fields.description);
  const compatibility = optional(fields, "compatibility");
  const allowedTools = optional(fields, "allowed-tools");
  const license = optional(fields, "license");
  const { metadata, fault } = metadataOf(fields.metadata);
  const faults = [
    ...unexpected(fields),
    ...(name === undefined ? [fatal("`name` is missing: the folder's name belongs there")] : nameFaults(name, folder)),
    ...descriptionFaults(description),
    ...[compatibility, allowedTools, license].flatMap((one) => one.faults),
    ...fault,
  ];
  if (name === undefined || description === undefined || faults.some(({ isFatal }) => isFatal))
    return { fields: undefined, faults };
  return {
    faults,
    fields: {
      ...{ name, description, metadata },
      ...(license.text !== undefined && { license: license.text }),
      ...(compatibility.text !== undefined && { compatibility: compatibility.text }),
      ...(allowedTools.text !== undefined && { allowedTools: allowedTools.text }),
    },
  };
}

/** "`name` field" of the specification; letters of any script, and NFKC before, as in `_validate_name` of the reference. */
function nameFaults(name: string, folder: string): readonly Fault[] {
  const length = [...name].length;
  return [
    ...(length > mostNameChars ? [fatal(`\`name\` has ${length} characters: it may have ${mostNameChars}`)] : []),
    ...(name === name.toLowerCase() ? [] : [fatal("`name` has to be in lower case")]),
    ...(/^-|-$/.test(name) ? [fatal("`name` can't begin or end with a hyphen")] : []),
    ...(name.includes("--") ? [fatal("`name` can't have two hyphens in a row")] : []),
    ...(/^[\p{L}\p{N}-]+$/u.test(name) ? [] : [fatal("`name` may have letters, digits and hyphens only")]),
    ...(name === folder.normalize("NFKC")
      ? []
      : [fatal(`\`name\` is ${JSON.stringify(name)}: it has to be the folder's, ${JSON.stringify(folder)}`)]),
  ];
}

function descriptionFaults(description: string | undefined): readonly Fault[] {
  if (description === undefined) return [fatal("`description` is missing: say what the skill does and when to use it")];
  const length = [...description].length;
  if (length <= mostDescriptionChars) return [];
  return [fatal(`\`description\` has ${length} characters: it may have ${mostDescriptionChars}`)];
}

function unexpected(fields: Readonly<Record<string, unknown>>): readonly Fault[] {
  const others = Object.keys(fields).filter((field) => !knownFields.includes(field));
  if (others.length === 0) return [];
  return [harmless(`the specification has no such fields: ${others.join(", ")}. They belong below \`metadata\``)];
}

function optional(fields: Readonly<Record<string, unknown>>, field: string) {
  if (fields[field] === undefined) return { text: undefined, faults: [] };
  const text = textOf(fields[field]);
  if (text === undefined) return { text, faults: [harmless(`\`${field}\` has to be a text: it is left out`)] };
  const length = [...text].length;
  if (field !== "compatibility" || length <= mostCompatibilityChars) return { text, faults: [] };
  const fault = harmless(`\`compatibility\` has ${length} characters: it may have ${mostCompatibilityChars}`);
  return { text: undefined, faults: [fault] };
}

/** "A map from string keys to string values". */
function metadataOf(value: unknown): { metadata: Readonly<Record<string, string>>; fault: readonly Fault[] } {
  if (value === undefined) return { metadata: {}, fault: [] };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { metadata: {}, fault: [harmless("`metadata` has to be a mapping: it is left out")] };
  const entries = Object.entries(value);
  const texts = entries.flatMap(([key, one]) => (typeof one === "string" ? [[key, one] as const] : []));
  const left = entries.length - texts.length;
  return {
    metadata: Object.fromEntries(texts),
    fault: left === 0 ? [] : [harmless("values of `metadata` have to be texts: others are left out")],
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
