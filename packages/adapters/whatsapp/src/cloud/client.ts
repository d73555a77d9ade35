import { proxiedFetch } from "@talaria/adapter-kit";
import { GatewayError, withWholeForm } from "@talaria/protocol";
import type { CloudConfig } from "../config.ts";
import { answerError, networkError } from "./errors.ts";

/** Longest answer that is read; Meta's are below a KiB. */
const maxAnswerBytes = 1024 * 1024;

/** Uploads of 100 MiB included. */
const callTimeoutMs = 120_000;

export interface CloudRequest {
  /** For errors and logs, without ids: `send`. */
  readonly action: string;
  /** Below the version, or empty parts left out: `123/messages`. */
  readonly path: string;
  /** JSON, or a form with a file. Without it the call is a GET. */
  readonly body?: object | FormData;
}

/** The Graph API with our token. Calls throw only GatewayError, are never repeated and never wait for a rate limit. */
export interface CloudClient {
  call(request: CloudRequest, signal: AbortSignal): Promise<unknown>;
  /** A stored file at an address that a call gave. Refuses addresses that are not Meta's: the token goes along. */
  download(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** Ends kept connections to a proxy. */
  close(): Promise<void>;
}

export function createCloudClient(config: CloudConfig, proxy?: URL): CloudClient {
  const { apiRoot, apiVersion, accessToken } = config;
  const route = proxy === undefined ? undefined : proxiedFetch(proxy);
  const ask = route?.fetch ?? fetch;
  const headers = { authorization: `Bearer ${accessToken}`, "user-agent": "talaria" };

  return {
    async call({ action, path, body }, signal) {
      const timeout = AbortSignal.timeout(callTimeoutMs);
      let response: Response;
      let text: string;
      try {
        response = await ask(`${apiRoot}/${apiVersion}/${path}`, {
          ...(await withWholeForm(bodyOf(body, headers))),
          redirect: "error",
          signal: AbortSignal.any([signal, timeout]),
        });
        text = await readText(response);
      } catch (error) {
        throw networkError(error, action, signal);
      }
      if (!response.ok) throw answerError({ action, status: response.status, headers: response.headers, body: text });
      return parseAnswer(text, action);
    },

    async download(url, signal) {
      if (!isTrusted(url, apiRoot))
        throw new GatewayError("whatsapp named a file address outside its own hosts", {
          code: "forbidden",
        });
      let response: Response;
      try {
        response = await ask(url, { headers, redirect: "error", signal });
      } catch (error) {
        throw networkError(error, "download", signal);
      }
      if (response.ok && response.body !== null) return response.body;
      const body = await readText(response).catch(() => "");
      throw answerError({ action: "download", status: response.status, headers: response.headers, body });
    },

    close: async () => route?.close(),
  };
}

function bodyOf(body: object | FormData | undefined, headers: Readonly<Record<string, string>>): RequestInit {
  if (body === undefined) return { method: "GET", headers };
  if (body instanceof FormData) return { method: "POST", headers, body };
  return { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > maxAnswerBytes)
      throw new GatewayError("whatsapp's answer is larger than the limit", { code: "unavailable" });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString("utf8");
}

/** A success that can't be read may be a success all the same. */
function parseAnswer(text: string, action: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GatewayError(`whatsapp answered ${action} with something other than JSON`, {
      code: "unavailable",
      cause,
    });
  }
}

/** Hosts that Meta keeps files on, and the Graph API itself. */
const mediaHosts = /^(?:[a-z0-9-]+\.)*(?:fbsbx\.com|fbcdn\.net|whatsapp\.net|facebook\.com)$/;

function isTrusted(address: string, apiRoot: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  if (url.origin === new URL(apiRoot).origin) return true;
  return url.protocol === "https:" && url.port === "" && mediaHosts.test(url.hostname);
}
