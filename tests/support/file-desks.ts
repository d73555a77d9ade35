import type { SlackServer } from "@talaria/adapter-slack/emulator";
import type { TelegramServer } from "@talaria/adapter-telegram/emulator";
import { waitFor } from "./wait-for.ts";

const longestWaitMs = 120_000;

export interface DeskFile {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly name: string;
  readonly mimeType: string;
}

/** A person in a direct conversation with the agent, who sends files and gets some. */
export interface Desk {
  readonly name: string;
  send(text: string, file?: DeskFile): Promise<void>;
  photo(text: string, bytes: Buffer<ArrayBuffer>): Promise<void>;
  /** Resolves once the agent has said this. */
  readonly answered: (words: string) => Promise<void>;
  /** The file that came under this name; on Telegram a picture has none. */
  readonly received: (name: string) => Promise<Buffer>;
}

export function telegramDesk(telegram: TelegramServer, ada: ReturnType<TelegramServer["user"]>): Desk {
  const chat = telegram.privateChat(ada);
  return {
    name: "Telegram",
    async send(text, file) {
      if (file === undefined) chat.say(ada, text);
      else chat.sendDocument(ada, file, text);
    },
    async photo(text, bytes) {
      chat.sendPhoto(ada, bytes, text);
    },
    answered: async (words) => void (await chat.waitForBotMessage(words, longestWaitMs)),
    received: (name) => {
      const isIt = (media: { readonly kind: string; readonly name?: string | undefined }) =>
        media.kind === "photo" ? /\.png$/.test(name) : media.name === name;
      const look = () => chat.botMessages().findLast(({ media }) => media !== undefined && isIt(media))?.media;
      return waitFor(look, `${name} on Telegram`, longestWaitMs).then(({ bytes }) => Buffer.from(bytes));
    },
  };
}

export function slackDesk(slack: SlackServer, eve: ReturnType<SlackServer["user"]>): Desk {
  const direct = slack.direct(eve);
  const say = (text: string, { bytes, name, mimeType }: DeskFile) =>
    direct.say(eve, text, { files: [{ bytes, name, mimetype: mimeType }] });
  return {
    name: "Slack",
    async send(text, file) {
      if (file === undefined) direct.say(eve, text);
      else say(text, file);
    },
    photo: async (text, bytes) => void say(text, { bytes, name: "photo.png", mimeType: "image/png" }),
    answered: async (words) => void (await direct.waitForBotMessage(words, longestWaitMs)),
    received: (name) => {
      const files = () => direct.botMessages().flatMap((message) => message.files);
      const look = () => files().findLast((file) => file.name === name);
      return waitFor(look, `${name} on Slack`, longestWaitMs).then(({ bytes }) => Buffer.from(bytes));
    },
  };
}

interface Line {
  readonly from: string;
  readonly markdown: string;
  readonly files?: readonly { readonly ref: string; readonly name: string }[];
}

/** The web chat, as its page uses it. */
export function consoleDesk(url: string, token: string): Desk {
  const base = `${url}/api/conversations/files`;
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const response = await fetch(`${base}${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: status ${response.status}: ${await response.text()}`);
    return response;
  };
  const lines = async () =>
    ((await (await call("/messages")).json()) as { readonly messages: readonly Line[] }).messages;
  const send = async (text: string, file?: DeskFile) => {
    const upload = async ({ bytes, name, mimeType }: DeskFile) =>
      (
        await call(`/files?name=${name}`, { method: "POST", body: bytes, headers: { "content-type": mimeType } })
      ).json();
    const files = file === undefined ? [] : [await upload(file)];
    await call("/messages", { method: "POST", body: JSON.stringify({ text, files }) });
  };
  return {
    name: "Console",
    send,
    photo: (text, bytes) => send(text, { bytes, name: "photo.png", mimeType: "image/png" }),
    async answered(words) {
      const isIt = ({ from, markdown }: Line) => from === "agent" && markdown.includes(words);
      await waitFor(async () => (await lines()).some(isIt), `"${words}" in the console`, longestWaitMs);
    },
    async received(name) {
      const look = async () =>
        (await lines()).flatMap(({ files = [] }) => files).findLast((file) => file.name === name);
      const { ref } = await waitFor(look, `${name} in the console`, longestWaitMs);
      return Buffer.from(await (await call(`/files/${encodeURIComponent(ref)}`)).arrayBuffer());
    },
  };
}
