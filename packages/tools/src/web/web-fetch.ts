import { defineTool, type Tool, type ToolContext, type ToolResult } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { type Download, keepDownload } from "../keep-download.ts";
import {
  checkRequesters,
  namesOf,
  type SecretHandle,
  secretsNamed,
  secretTargets,
  shownSecrets,
  type UsableSecrets,
} from "../secrets/secret-handle.ts";
import { secretsAt } from "./carried-secrets.ts";
import { decodeText, isText } from "./decode-text.ts";
import type { Answered, FetchLimits, GuardedFetch } from "./guarded-fetch.ts";
import { readStart } from "./read-bounded.ts";
import { webAddress } from "./web-address.ts";

/** A longer text is kept as a file as well. */
const mostTextBytes = 5_000_000;
/** What is shown of such a one. */
const startChars = 20_000;
const answerMs = 30_000;
const bodyMs = 120_000;

/** Gets what is behind an address as it is. `usable`: secrets that somebody has there. */
export function createWebFetch(fetch: GuardedFetch, usable: readonly SecretHandle[] = []): Tool {
  return defineTool({
    name: "web_fetch",
    description:
      "Fetches a public http or https address as it is: JSON, XML, plain text, page source; to read a page, use web_extract. Pictures, " +
      `other files and texts of more than ${mostTextBytes / 1_000_000} MB are kept as files, with an id and a place in the workspace.`,
    effect: "read",
    isRare: true,
    permissions: ["net"],
    timeoutMs: answerMs + bodyMs + 10_000,
    input: inputWith(usable),
    resources: () => [],
    targets: ({ url, secret }) => [
      { kind: "url", url, sendsBody: false },
      ...secretTargets(secretsNamed(secret === undefined ? [] : [secret], usable)),
    ],
    async execute({ url, secret }, context) {
      const carried: Partial<ReturnType<typeof carriedTo>> =
        secret === undefined ? {} : carriedTo(url, secretsNamed([secret], usable), context);
      let brought: Brought = {};
      let shown = (text: string) => text;
      const take = async (answer: Answered, body: AsyncIterable<Uint8Array>, masked: typeof shown) => {
        shown = masked;
        brought = await bring(answer, body, context);
      };
      const limits = { signal: context.signal, timeoutMs: answerMs, maxBytes: mostTextBytes, ...carried };
      const answer = await fetch(url, { ...limits, take: { timeoutMs: bodyMs, content: take } });
      const result = resultOf(answer, brought, shown);
      if (secret === undefined || secretsAt(new URL(answer.url), carried.secrets ?? []).length > 0) return result;
      return {
        ...result,
        content: `[secret:${secret} stayed behind: a redirect led to another host]\n${result.content}`,
      };
    },
  });
}

/** Secrets are listed in the schema, so that no other name is one. */
function inputWith([first, ...others]: readonly SecretHandle[]): z.ZodType<{
  url: string;
  secret?: string | undefined;
}> {
  const plain = z.strictObject({ url: z.string().max(4_096) });
  if (first === undefined) return plain;
  const usable: UsableSecrets = [first, ...others];
  const words = `Sent along to its own host, unseen. Available: ${shownSecrets(usable)}.`;
  const given = plain.extend({ secret: z.enum(namesOf(usable)).optional().describe(words) });
  // Said before anybody is asked.
  return given.superRefine(({ url, secret }, { addIssue }) => {
    const asked = secretsNamed(secret === undefined ? [] : [secret], usable);
    if (asked.some(({ hosts }) => !isAmong(url, hosts))) addIssue({ code: "custom", message: nothingElse(asked) });
  });
}

/** `hosts` are reached by https, and have a port where it isn't 443. */
function isAmong(address: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, port } = new URL(address);
  return protocol === "https:" && hosts.includes(port === "" ? hostname : `${hostname}:${port}`);
}

function nothingElse(asked: readonly SecretHandle[]): string {
  return `${shownSecrets(asked)}: nothing else may be asked for with it`;
}

/** Throws `invalid_request` for an address that is not one of the secret's. */
function carriedTo(
  address: string,
  asked: readonly SecretHandle[],
  context: ToolContext,
): Pick<FetchLimits, "request" | "secrets"> {
  checkRequesters(asked, context);
  const secrets = asked.map((one) => one.handOut());
  if (secretsAt(webAddress(address), secrets).length < asked.length)
    throw new GatewayError(nothingElse(asked), {
      code: "invalid_request",
      effect: "none",
    });
  const headers = Object.fromEntries(secrets.map(({ header, handle }) => [header, handle]));
  return { request: { method: "GET", headers }, secrets };
}

interface Brought {
  /** The beginning of a text, or all of it. */
  readonly text?: Uint8Array;
  readonly download?: Download;
}

async function bring(
  { url, contentType }: Answered,
  body: AsyncIterable<Uint8Array>,
  context: ToolContext,
): Promise<Brought> {
  const type = contentType.split(";")[0]?.trim() ?? "";
  const keep = (content: AsyncIterable<Uint8Array>) => keepDownload(content, { name: nameIn(url), type }, context);
  const { start, whole } = await readStart(body, isText(contentType) ? mostTextBytes : 0);
  if (whole === undefined) return { text: start };
  const download = await keep(whole);
  return isText(contentType) ? { text: start, download } : { download };
}

/** `shownOf`: what may be seen of a text, which decoding may have changed. */
function resultOf(
  { url, status, contentType }: Answered,
  { text = new Uint8Array(), download }: Brought,
  shownOf: (text: string) => string,
): ToolResult {
  const bytes = download?.file.byteLength ?? text.byteLength;
  const head = `${url}\nstatus ${status}, ${contentType || "no type"}, ${bytes} bytes`;
  const details = { url, status, bytes };
  const words = shownOf(decodeText(text, contentType));
  if (download === undefined) return { content: `${head}\n\n${words}`, untrusted: true, details };
  const shown = text.byteLength === 0 ? "" : `\n[the first ${startChars} characters]\n\n${words.slice(0, startChars)}`;
  return { content: `${head}\n${download.told}${shown}`, untrusted: true, kept: [download.file], details };
}

/** The last part of the address. */
function nameIn(url: string): string {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
