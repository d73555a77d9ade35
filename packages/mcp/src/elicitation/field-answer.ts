import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import type { FieldValue, FormField, Option, TextFormat } from "./form-fields.ts";

/** What somebody's words say of a field. Throws `invalid_request`, whose message tells them what is expected. */
export function fieldAnswer(field: FormField, said: string): FieldValue {
  const text = said.trim();
  switch (field.kind) {
    case "yesno":
      return yesOrNo(text);
    case "choice":
      return optionNamed(text, field.options).value;
    case "several":
      return severalNamed(text, field);
    case "number":
      return numberIn(text, field);
    case "text":
      return textIn(text, field);
    default:
      return field satisfies never;
  }
}

/** What is expected, in our words, with a full stop. Empty where the choices say it all. */
export function expectation(field: FormField): string {
  switch (field.kind) {
    case "yesno":
    case "choice":
      return "";
    case "several":
      return `Write the numbers of ${between(field.least, field.most, "of these options", "of these options")}, with commas between them.`;
    case "number":
      return `Write a ${field.isWhole ? "whole " : ""}number${range(field)}.`;
    case "text": {
      const length = between(field.least, field.most, "character", "characters");
      if (field.format === undefined) return `Write ${length === "" ? "a text" : length}.`;
      return `Write ${formatNames[field.format]}${length === "" ? "" : ` of ${length}`}.`;
    }
    default:
      return field satisfies never;
  }
}

const formatNames: Readonly<Record<TextFormat, string>> = {
  email: "an e-mail address",
  uri: "an address such as https://example.org/page",
  date: "a date such as 2026-01-31",
  "date-time": "a date with its time, such as 2026-01-31T09:30:00Z",
};

// RFC 3339 and RFC 3986, which JSON Schema's formats name.
const formatChecks: Readonly<Record<TextFormat, (text: string) => boolean>> = {
  email: (text) => z.email().safeParse(text).success,
  uri: (text) => URL.canParse(text) && !/\s/.test(text),
  date: (text) => z.iso.date().safeParse(text).success,
  "date-time": (text) => z.iso.datetime({ offset: true }).safeParse(text).success,
};

function textIn(text: string, field: FormField & { readonly kind: "text" }): string {
  // JSON Schema counts characters, not UTF-16 units.
  const length = [...text].length;
  if (length < field.least || length > field.most)
    throw wrong(`That has ${length} character${length === 1 ? "" : "s"}. ${expectation(field)}`);
  if (field.format !== undefined && !formatChecks[field.format](text)) throw wrong(expectation(field));
  return text;
}

function numberIn(text: string, field: FormField & { readonly kind: "number" }): number {
  if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(text))
    throw wrong("That may mean two numbers. Write it without a comma, such as 1500 or 1.5.");
  const isNumber = /^[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[+-]?\d{1,3})?$/i.test(text);
  const value = isNumber ? Number(text.replace(",", ".")) : Number.NaN;
  const isFit = Number.isFinite(value) && value >= field.least && value <= field.most;
  if (!isFit || (field.isWhole && !Number.isSafeInteger(value))) throw wrong(expectation(field));
  return value;
}

function yesOrNo(text: string): boolean {
  if (/^(?:yes|y|true)$/i.test(text)) return true;
  if (/^(?:no|n|false)$/i.test(text)) return false;
  throw wrong("Answer yes or no.");
}

function severalNamed(text: string, field: FormField & { readonly kind: "several" }): string[] {
  const parts = text.split(/[,;\n]/, 100).map((part) => part.trim());
  const values = [
    ...new Set(parts.filter((part) => part !== "").map((part) => optionNamed(part, field.options).value)),
  ];
  if (values.length < field.least || values.length > field.most) throw wrong(expectation(field));
  return values;
}

/** A label or a value goes before a number, where those are numbers. */
function optionNamed(text: string, options: readonly Option[]): Option {
  const same = (one: string) => one.toLowerCase() === text.toLowerCase();
  const found = options.find(({ label, value }) => same(label) || same(value));
  const option = found ?? (/^\d{1,4}$/.test(text) ? options[Number(text) - 1] : undefined);
  if (option === undefined) throw wrong("That is none of the options.");
  return option;
}

function range({ least, most }: { readonly least: number; readonly most: number }): string {
  const [isBelow, isAbove] = [Number.isFinite(least), Number.isFinite(most)];
  if (isBelow && isAbove) return ` from ${least} to ${most}`;
  return isBelow ? `, ${least} or more` : isAbove ? `, ${most} or less` : "";
}

function between(least: number, most: number, one: string, many: string): string {
  if (!Number.isFinite(most)) return least <= 0 ? "" : `at least ${least} ${least === 1 ? one : many}`;
  const unit = most === 1 ? one : many;
  if (least <= 0) return `up to ${most} ${unit}`;
  return least === most ? `${most} ${unit}` : `${least} to ${most} ${unit}`;
}

function wrong(message: string): GatewayError {
  return new GatewayError(message, { code: "invalid_request" });
}
