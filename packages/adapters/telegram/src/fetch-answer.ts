import { foreignAnswer } from "@talaria/adapter-kit";
import nodeFetch from "node-fetch";

type Asked = NonNullable<Parameters<typeof nodeFetch>[1]>;

/** A hundred updates, or an answer with all of its quotes, take some megabytes. */
const maxAnswerBytes = 32 * 1_024 * 1_024;

/**
 * What grammY fetches with: node-fetch as it would itself, but grammY reads a body and keeps no status, so that a page of a proxy
 * would be no more than a broken answer. Rejects with the GatewayError of `foreignAnswer` where the answer is not Telegram's.
 */
export async function fetchAnswer(url: string, asked: Asked = {}): Promise<{ json(): Promise<unknown> }> {
  const ending = new AbortController();
  const end = () => ending.abort();
  asked.signal?.addEventListener("abort", end, { once: true });
  try {
    const response = await nodeFetch(url, { ...asked, signal: ending.signal, size: maxAnswerBytes });
    const body = await response.text().catch((error: unknown) => {
      if (response.ok) throw error;
      return "";
    });
    const answer = ownAnswer(body);
    if (answer === undefined)
      throw foreignAnswer("telegram", methodOf(url), response.status, response.headers.get("retry-after"));
    return { json: async () => answer };
  } catch (error) {
    // node-fetch goes on reading what is longer than it may be.
    ending.abort();
    throw error;
  } finally {
    asked.signal?.removeEventListener("abort", end);
  }
}

/** Undefined where it is not one of https://core.telegram.org/bots/api#making-requests. */
function ownAnswer(body: string): object | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    if (typeof answer !== "object" || answer === null) return undefined;
    const { ok, error_code } = answer as { readonly ok?: unknown; readonly error_code?: unknown };
    return ok === true || (ok === false && Number.isInteger(error_code)) ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** The rest of the address holds the token. */
function methodOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}
