import type { Sender } from "./sender.ts";

/** The recommended length that holds any tag in practice: RFC 5646, section 4.4.1. */
const longestTag = 35;
/** As BCP 47 writes tags: a language of two to eight letters, then parts of up to eight letters or digits. */
const tagForm = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;
/** Of a header that lists languages. Longer ones are read up to here. */
const longestHeader = 1_000;
const mostListed = 20;

/** A person's language as a platform tells it. Nothing where that is no language tag: not to know it is no error. */
export function spoken(tag: unknown): Pick<Sender, "language"> {
  return typeof tag === "string" && tag.length <= longestTag && tagForm.test(tag) ? { language: tag } : {};
}

/** The language that a header with the form of `Accept-Language` (RFC 9110, section 12.5.4) prefers. */
export function preferredIn(header: string): Pick<Sender, "language"> {
  const ranges = header.slice(0, longestHeader).split(",", mostListed).map(toRange);
  const known = ranges.filter(({ language, weight }) => language !== undefined && weight > 0);
  const best = Math.max(...known.map(({ weight }) => weight));
  return spoken(known.find(({ weight }) => weight === best)?.language);
}

function toRange(range: string): Pick<Sender, "language"> & { readonly weight: number } {
  const [tag = "", quality] = range.split(";", 2);
  const given = quality === undefined ? "1" : (/^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(quality)?.[1] ?? "0");
  return { ...spoken(tag.trim()), weight: Number(given) };
}
