import { isPlain, parameterDescription } from "./untrusted.ts";

type Schema = Readonly<Record<string, unknown>>;

const mostNodes = 1_000;
const mostDepth = 10;
const mostChoices = 100;
const mostValueChars = 200;

/** Providers take these names of properties, and no others. */
const propertyName = /^[A-Za-z0-9_.-]{1,64}$/;
const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const numberLimits = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const countLimits = ["minLength", "maxLength", "minItems", "maxItems"];

interface Walk {
  readonly root: Schema;
  /** References that are being followed. */
  readonly open: readonly string[];
  readonly depth: number;
  readonly spent: { nodes: number };
}

/**
 * A server's input schema as a model may see it: bounded, without references, and with no text that hides something. What
 * can't be checked here is looser than in the original, never stricter: the server checks its input itself. Patterns are told,
 * not run, since a server could choose one that takes for ever. Throws an `Error` that says why a schema can't be used.
 */
export function plainSchema(schema: unknown): Schema {
  if (!isSchema(schema)) throw new Error("its input schema is no object");
  const walk = { root: schema, open: [], depth: 0, spent: { nodes: 0 } };
  const { anyOf: _, allOf: __, ...object } = plain(schema, walk);
  return { ...object, type: "object", properties: object.properties ?? {} };
}

function plain(schema: unknown, walk: Walk): Schema {
  walk.spent.nodes += 1;
  if (walk.spent.nodes > mostNodes) throw new Error(`its input schema has more than ${mostNodes} parts`);
  if (!isSchema(schema) || walk.depth > mostDepth) return {};
  if (typeof schema.$ref === "string") return referred(schema.$ref, schema, walk);
  const inner: Walk = { ...walk, depth: walk.depth + 1 };
  return {
    ...typeOf(schema),
    ...described(schema),
    ...values(schema),
    ...limits(schema),
    ...objectParts(schema, inner),
    ...arrayParts(schema, inner),
    ...alternatives(schema, inner),
  };
}

function referred(ref: string, schema: Schema, walk: Walk): Schema {
  if (walk.open.includes(ref)) return {};
  const { $ref: _, ...rest } = schema;
  const target = targetOf(ref, walk.root);
  if (target === undefined) return plain(rest, walk);
  return plain({ ...target, ...rest }, { ...walk, open: [...walk.open, ref] });
}

function targetOf(ref: string, root: Schema): Schema | undefined {
  if (!ref.startsWith("#/")) return undefined;
  let place: unknown = root;
  for (const part of ref.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    place = isSchema(place) && Object.hasOwn(place, key) ? place[key] : undefined;
  }
  return isSchema(place) ? place : undefined;
}

function typeOf(schema: Schema): Schema {
  const given = [schema.type].flat().filter((type): type is string => typeof type === "string" && types.has(type));
  if (given.length === 0) {
    if (isSchema(schema.properties)) return { type: "object" };
    return schema.items === undefined ? {} : { type: "array" };
  }
  const all = schema.nullable === true && !given.includes("null") ? [...given, "null"] : given;
  return { type: all.length === 1 ? all[0] : all };
}

function described(schema: Schema): Schema {
  const { description, format, pattern } = schema;
  const notes = [
    typeof description === "string" ? description : "",
    typeof format === "string" ? `(format: ${format})` : "",
    typeof pattern === "string" ? `(pattern: ${pattern})` : "",
  ];
  const text = parameterDescription(notes.filter((note) => note !== "").join(" "));
  return text === "" ? {} : { description: text };
}

function values(schema: Schema): Schema {
  const { const: only, default: usual } = schema;
  const choices = schema.enum;
  const isList = Array.isArray(choices) && choices.length > 0 && choices.length <= mostChoices;
  return {
    ...(isList && choices.every(isPlainValue) ? { enum: choices } : {}),
    ...(only !== undefined && isPlainValue(only) ? { const: only } : {}),
    ...(usual !== undefined && usual !== null && isPlainValue(usual) ? { default: usual } : {}),
  };
}

function isPlainValue(value: unknown): boolean {
  if (typeof value === "string") return value.length <= mostValueChars && isPlain(value);
  return value === null || typeof value === "number" || typeof value === "boolean";
}

function limits(schema: Schema): Schema {
  const numbers = numberLimits.filter((name) => typeof schema[name] === "number");
  const counts = countLimits.filter((name) => Number.isSafeInteger(schema[name]) && Number(schema[name]) >= 0);
  return Object.fromEntries([...numbers, ...counts].map((name) => [name, schema[name]]));
}

function objectParts(schema: Schema, walk: Walk): Schema {
  const { properties, required, additionalProperties } = schema;
  if (!isSchema(properties))
    return isSchema(additionalProperties) ? { additionalProperties: plain(additionalProperties, walk) } : {};
  const must = Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
  const odd = Object.keys(properties).filter((name) => !isUsable(name));
  const missing = odd.find((name) => must.includes(name));
  if (missing !== undefined) {
    throw new Error(
      `it needs a parameter with the name ${JSON.stringify(missing.slice(0, 64))}, which models can't give`,
    );
  }
  const named = Object.entries(properties).filter(([name]) => isUsable(name));
  return {
    properties: Object.fromEntries(named.map(([name, part]) => [name, plain(part, walk)])),
    required: must.filter((name) => Object.hasOwn(properties, name)),
    ...(additionalProperties === false && odd.length === 0 && schema.patternProperties === undefined
      ? { additionalProperties: false }
      : {}),
  };
}

function isUsable(name: string): boolean {
  return propertyName.test(name) && name !== "__proto__";
}

function arrayParts(schema: Schema, walk: Walk): Schema {
  return isSchema(schema.items) ? { items: plain(schema.items, walk) } : {};
}

/** `oneOf` is told as `anyOf`; of several `allOf` that all have to hold, only a single one can be told. */
function alternatives(schema: Schema, walk: Walk): Schema {
  const any = [schema.anyOf, schema.oneOf].find(
    (list): list is unknown[] => Array.isArray(list) && list.length > 0 && list.length <= mostChoices,
  );
  const all = schema.allOf;
  return {
    ...(any === undefined ? {} : { anyOf: any.map((each) => plain(each, walk)) }),
    ...(Array.isArray(all) && all.length === 1 ? plain(all[0], walk) : {}),
  };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
