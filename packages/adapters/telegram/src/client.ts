import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { keptAliveAgent } from "@talaria/adapter-kit";
import { GatewayError } from "@talaria/protocol";
import { Api, type ApiClientOptions } from "grammy";
import type { ApiMethods, Opts } from "grammy/types";
import { toGatewayError } from "./errors.ts";
import { fetchAnswer } from "./fetch-answer.ts";

/** The few calls of the Bot API that we use. */
export type Method =
  | "getMe"
  | "getUpdates"
  | "setWebhook"
  | "deleteWebhook"
  | "answerCallbackQuery"
  | "answerGuestQuery"
  | "setMyCommands"
  | "deleteMyCommands"
  | "sendMessage"
  | "sendRichMessage"
  | "sendMessageDraft"
  | "sendPhoto"
  | "sendDocument"
  | "sendVideo"
  | "sendAudio"
  | "sendVoice"
  | "sendMediaGroup"
  | "editMessageText"
  | "editMessageCaption"
  | "editMessageReplyMarkup"
  | "deleteMessage"
  | "leaveChat"
  | "setMessageReaction"
  | "sendChatAction"
  | "getFile";

export type Args<M extends Method> = Opts<M>;
export type Result<M extends Method> = ReturnType<ApiMethods[M]>;

/** The Bot API. Calls throw only GatewayError, are never repeated, and never show the token. */
export interface TelegramClient {
  call<M extends Method>(method: M, args: Args<M>, signal: AbortSignal): Promise<Result<M>>;
  /** The bytes of a file that `getFile` named. */
  download(filePath: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** Closes idle connections. The client may be used again. */
  close(): void;
}

/** Longer than the server holds a long poll. */
const callTimeoutSeconds = 45;
const uploadTimeoutSeconds = 300;
/** Servers close idle connections after about a minute; we do it earlier, so that no call meets a closing one. */
const idleConnectionMs = 20_000;

const uploads: ReadonlySet<Method> = new Set<Method>([
  "sendPhoto",
  "sendDocument",
  "sendVideo",
  "sendAudio",
  "sendVoice",
  "sendMediaGroup",
]);

export function createTelegramClient(token: string, apiRoot: string, proxy?: URL): TelegramClient {
  const isSecure = apiRoot.startsWith("https:");
  const agent = keptAliveAgent({ isSecure, idleMs: idleConnectionMs }, proxy);
  // Of an answer, grammY asks for nothing but `json()`.
  const fetch = fetchAnswer as unknown as NonNullable<ApiClientOptions["fetch"]>;
  const options: ApiClientOptions = { apiRoot, baseFetchConfig: { compress: true, agent }, fetch };
  const quick = new Api(token, { ...options, timeoutSeconds: callTimeoutSeconds });
  const slow = new Api(token, { ...options, timeoutSeconds: uploadTimeoutSeconds });
  return {
    async call(method, args, signal) {
      if (signal.aborted) throw abortedEarly(method);
      const { raw } = uploads.has(method) ? slow : quick;
      const send = raw[method] as unknown as RawCall<typeof method>;
      try {
        return await (method === "getMe" ? send(signal as never) : send(args, signal));
      } catch (error) {
        throw toGatewayError(error, method, signal);
      }
    },
    async download(filePath, signal) {
      if (signal.aborted) throw abortedEarly("download");
      const path = filePath.split("/").map(encodeURIComponent).join("/");
      if (/(^|\/)\.{1,2}(\/|$)/.test(filePath) || filePath.startsWith("/"))
        throw new GatewayError("telegram named a file outside its download area", { code: "unsupported" });
      const request = isSecure ? httpsRequest : httpRequest;
      try {
        const response = await new Promise<IncomingMessage>((resolve, reject) => {
          request(`${apiRoot}/file/bot${token}/${path}`, { agent, signal }, resolve).on("error", reject).end();
        });
        return bodyOf(response);
      } catch (error) {
        throw toGatewayError(error, "download", signal);
      }
    },
    close: () => agent.destroy(),
  };
}

type RawCall<M extends Method> = (args: Args<M>, signal?: AbortSignal) => Promise<Result<M>>;

function bodyOf(response: IncomingMessage): ReadableStream<Uint8Array> {
  if (response.statusCode === 200) return Readable.toWeb(response) as ReadableStream<Uint8Array>;
  response.resume();
  const code = response.statusCode === 404 ? "not_found" : "unavailable";
  throw new GatewayError(`telegram answered a download with ${response.statusCode}`, { code });
}

function abortedEarly(method: string): GatewayError {
  return new GatewayError(`the call of ${method} was aborted before it began`, { code: "aborted", effect: "none" });
}
