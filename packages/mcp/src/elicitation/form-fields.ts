import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { label } from "../untrusted.ts";
import { asksForSecret, saysSecret } from "./asks-for-secret.ts";

/** Of one form: what people answer in a row without losing patience. */
const mostFields = 10;
/** Of one field that is chosen from. People are shown the first ones, and may name any. */
const mostOptions = 1_000;
const mostChars = { name: 100, option: 200 } as const;

export type FieldValue = string | number | boolean | string[];

export interface Option {
  readonly value: string;
  readonly label: string;
}

type FieldKind =
  | { readonly kind: "yesno" }
  | { readonly kind: "choice"; readonly options: readonly Option[] }
  | { readonly kind: "several"; readonly options: readonly Option[]; readonly least: number; readonly most: number }
  | { readonly kind: "number"; readonly isWhole: boolean; readonly least: number; readonly most: number }
  | { readonly kind: "text"; readonly format?: TextFormat; readonly least: number; readonly most: number };

export type TextFormat = (typeof formats)[number];

/** One thing that a form asks for. Titles and descriptions are the server's words. */
export type FormField = FieldKind & {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly suggested?: FieldValue;
};

// MCP 2025-11-25, client/elicitation.mdx, "Requested Schema": flat objects of strings, numbers, booleans and enums.
const formats = ["email", "uri", "date", "date-time"] as const;
const about = {
  title: z.string().optional(),
  description: z.string().optional(),
};
const limit = z.number().optional();
const plainOptions = z.array(z.string());
const titledOptions = z.array(z.object({ const: z.string(), title: z.string() }));
const several = z.object({
  ...about,
  type: z.literal("array"),
  minItems: limit,
  maxItems: limit,
  items: z.union([z.object({ enum: plainOptions }), z.object({ anyOf: titledOptions })]),
  default: z.array(z.string()).optional(),
});
const titled = z.object({
  ...about,
  type: z.literal("string"),
  oneOf: titledOptions,
  default: z.string().optional(),
});
const listed = z.object({
  ...about,
  type: z.literal("string"),
  enum: plainOptions,
  // As servers of before 2025-11-25 name options.
  enumNames: plainOptions.optional(),
  default: z.string().optional(),
});
const words = z.object({
  ...about,
  type: z.literal("string"),
  format: z.enum(formats).optional(),
  minLength: limit,
  maxLength: limit,
  default: z.string().optional(),
});
const amount = z.object({
  ...about,
  type: z.enum(["number", "integer"]),
  minimum: limit,
  maximum: limit,
  default: z.number().optional(),
});
const yesNo = z.object({ ...about, type: z.literal("boolean"), default: z.boolean().optional() });
const property = z.union([several, titled, listed, words, amount, yesNo]);
const form = z.object({
  properties: z.record(z.string().min(1).max(mostChars.name), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

/** What a form asks for, in its order. Throws `invalid_request`, which says why, for one that can't be shown or asks for a secret. */
export function formFields(schema: unknown, message = ""): readonly FormField[] {
  const read = form.safeParse(schema);
  if (!read.success) throw refused("its fields can't be read");
  const { properties, required } = read.data;
  const names = Object.keys(properties);
  if (names.length > mostFields)
    throw refused(`it has ${names.length} fields, and at most ${mostFields} are asked for`);
  const fields = names.map((name) => {
    const known = property.safeParse(properties[name]);
    if (asksForSecret(name, properties[name])) throw refused(`the field ${label(name)} asks for a secret`);
    if (!known.success) throw refused(`the field ${label(name)} is of a kind that can't be asked for`);
    const { title = name, description = "", default: suggested } = known.data;
    const field = { name, title, description, isRequired: required.includes(name), ...kindOf(known.data) };
    return suggested === undefined ? field : { ...field, suggested };
  });
  const takesWords = fields.some(({ kind }) => kind === "text" || kind === "number");
  if (takesWords && saysSecret(message)) throw refused("its message asks for a secret");
  return fields;
}

function kindOf(read: z.output<typeof property>): FieldKind {
  switch (read.type) {
    case "boolean":
      return { kind: "yesno" };
    case "number":
    case "integer": {
      const { minimum: least = Number.NEGATIVE_INFINITY, maximum: most = Number.POSITIVE_INFINITY } = read;
      return { kind: "number", isWhole: read.type === "integer", least, most };
    }
    case "array": {
      const options = "enum" in read.items ? named(read.items.enum) : toOptions(read.items.anyOf);
      return { kind: "several", options, least: read.minItems ?? 0, most: read.maxItems ?? options.length };
    }
    default:
      return textOrChoice(read);
  }
}

function textOrChoice(read: z.output<typeof titled> | z.output<typeof listed> | z.output<typeof words>): FieldKind {
  if ("oneOf" in read) return { kind: "choice", options: toOptions(read.oneOf) };
  if ("enum" in read) return { kind: "choice", options: named(read.enum, read.enumNames) };
  const { minLength: least = 0, maxLength: most = Number.POSITIVE_INFINITY, format } = read;
  return { kind: "text", least, most, ...(format === undefined ? {} : { format }) };
}

function named(values: readonly string[], names: readonly string[] = []): readonly Option[] {
  return toOptions(values.map((value, index) => ({ const: value, title: names[index] ?? value })));
}

function toOptions(given: readonly { readonly const: string; readonly title: string }[]): readonly Option[] {
  if (given.length === 0 || given.length > mostOptions)
    throw refused(`a field offers ${given.length} options, and 1 to ${mostOptions} can be shown`);
  return given.map(({ const: value, title }) => {
    if (value.length > mostChars.option) throw refused("an option is too long");
    return { value, label: label(title) || label(value) };
  });
}

function refused(why: string): GatewayError {
  return new GatewayError(why, { code: "invalid_request" });
}
