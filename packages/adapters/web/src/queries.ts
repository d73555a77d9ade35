import { GatewayError } from "@talaria/protocol";

const historyLimit = { initial: 100, most: 500 };
const listLimit = { initial: 50, most: 100 };
const longestWords = 200;
/** More than any `next` has. */
const longestBefore = 4_000;

export interface PageQuery {
  readonly limit: number;
  /** Only what comes before. */
  readonly before?: string;
}

export interface ListQuery extends PageQuery {
  readonly all: boolean;
  readonly words?: string;
}

/** Reads `limit` and `before` of a request for history. Throws `invalid_request` with the remedy. */
export function readPage(query: URLSearchParams): PageQuery {
  return pageIn(query, historyLimit);
}

/** Reads the query of a request for conversations. Throws `invalid_request` with the remedy. */
export function readList(query: URLSearchParams): ListQuery {
  const platform = query.get("platform") ?? "web";
  if (platform !== "web" && platform !== "all") throw invalid("platform must be web or all");
  const words = query.get("query")?.trim();
  if (words !== undefined && ([...words].length > longestWords || !/[\p{L}\p{N}]/u.test(words)))
    throw invalid(`query must have a letter or a digit, and at most ${longestWords} characters`);
  return { ...pageIn(query, listLimit), all: platform === "all", ...(words === undefined ? {} : { words }) };
}

function pageIn(query: URLSearchParams, limits: { readonly initial: number; readonly most: number }): PageQuery {
  const given = query.get("limit");
  const limit = given === null ? limits.initial : /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > limits.most) throw invalid(`limit must be a whole number from 1 to ${limits.most}`);
  const before = query.get("before");
  if (before === null) return { limit };
  if (before.length > longestBefore) throw invalid("before must be the next of another page");
  return { limit, before };
}

function invalid(message: string): GatewayError {
  return new GatewayError(message, { code: "invalid_request" });
}
