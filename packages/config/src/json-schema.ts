import { z } from "zod";
import { configSchemaFor } from "./schema/config-schema.ts";

/** The part of JSON Schema that the configuration needs. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
}

/** What one key means, for documentation. */
export interface ConfigKey {
  /** `models.<name>.provider` */
  readonly path: string;
  readonly isRequired: boolean;
  /** Required only where this section is there, which may be left out as a whole. */
  readonly group?: string;
  /** Absent when the key may be left out and then means nothing. */
  readonly default?: unknown;
  readonly values?: readonly unknown[];
  readonly description: string;
}

/**
 * The JSON schema of the configuration file, for editors, where accounts may name these platforms. Numbers and booleans may
 * also be `${NAME}`.
 */
export function configJsonSchema(platforms: readonly string[]): JsonSchema {
  const schema = z.toJSONSchema(configSchemaFor(platforms), {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.secret === true) allowReference(jsonSchema);
      else if (isPlain(jsonSchema.type)) allowVariable(jsonSchema);
    },
  });
  return { ...schema, title: "Talaria configuration" } as JsonSchema;
}

function isPlain(type: unknown): boolean {
  return type === "integer" || type === "number" || type === "boolean";
}

const fileReference = {
  type: "object",
  properties: { file: { type: "string" } },
  required: ["file"],
  additionalProperties: false,
};

function allowReference(schema: Record<string, unknown>): void {
  const { type, minLength } = schema;
  for (const key of ["secret", "type", "minLength"]) delete schema[key];
  schema.anyOf = [{ type, ...(minLength === undefined ? {} : { minLength }) }, fileReference];
}

function allowVariable(schema: Record<string, unknown>): void {
  const { type, minimum, maximum } = schema;
  for (const key of ["type", "minimum", "maximum"]) delete schema[key];
  const plain = { type, ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
  schema.anyOf = [plain, { type: "string", pattern: "^\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$" }];
}

/** Every key that holds a value, in the order of the schema. */
export function configKeys(platforms: readonly string[]): readonly ConfigKey[] {
  return keysBelow(configJsonSchema(platforms), "");
}

/** `group` is the innermost one around these keys that may be left out as a whole. */
function keysBelow(schema: JsonSchema, path: string, group?: string): readonly ConfigKey[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const childPath = path === "" ? name : `${path}.${name}`;
    const isRequired = schema.required?.includes(name) ?? false;
    if (isSection(child)) return keysBelow(child, childPath, isRequired ? group : name);
    return [{ ...toKey(child, childPath, isRequired), ...(isRequired && group !== undefined ? { group } : {}) }];
  });
  const entry = schema.additionalProperties;
  return typeof entry === "object" && entry.properties ? [...own, ...keysBelow(entry, `${path}.<name>`)] : own;
}

function isSection(schema: JsonSchema): boolean {
  if (schema.properties !== undefined) return true;
  return typeof schema.additionalProperties === "object" && schema.additionalProperties.properties !== undefined;
}

function toKey(schema: JsonSchema, path: string, isRequired: boolean): ConfigKey {
  return {
    path,
    isRequired,
    ...(schema.default === undefined ? {} : { default: schema.default }),
    ...(schema.enum === undefined ? {} : { values: schema.enum }),
    description: schema.description ?? "",
  };
}
