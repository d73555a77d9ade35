import { createHash } from "node:crypto";
import type { AdapterStore, Audience, CommandInfo } from "@talaria/adapter";
import { isGatewayError, type Log } from "@talaria/protocol";
import type { BotCommandScope, LanguageCode } from "grammy/types";
import { z } from "zod";
import type { TelegramClient } from "./client.ts";

const storedAs = "command-menu";
const maxCommands = 100;
const maxDescriptionLength = 256;
/** A menu each; further owners see the one of everybody. */
const mostOwners = 50;
const mostLanguages = 20;

export interface CommandMenuDeps {
  readonly client: TelegramClient;
  readonly store: AdapterStore;
  readonly selfId: string;
  readonly log: Log;
  readonly audience?: Audience | undefined;
}

interface Menu {
  readonly scope: BotCommandScope;
  /** ISO 639-1. Absent: for people of all other languages. */
  readonly language?: string;
  readonly commands: readonly { readonly command: string; readonly description: string }[];
}

/**
 * Puts the commands into the menus of Telegram's apps: for everybody in private, for groups, and for each owner in the chat with them.
 * The first list that is set counts, that of the chat before all others (core.telegram.org/bots/api#botcommandscope); the id of a private
 * chat is that of its person. An owner who never wrote to the bot has no chat yet: Telegram refuses, and the next connection tries again.
 * Languages have menus of their own, as far as Telegram can tell them apart: by two letters. Calls only where a menu differs from what was last put there, and takes away the menus of former owners.
 */
export async function putCommandMenu(
  { client, store, selfId, log, audience }: CommandMenuDeps,
  commands: readonly CommandInfo[],
  signal: AbortSignal,
): Promise<void> {
  const put = new Map(Object.entries(readStored(await store.read(storedAs))));
  const before = JSON.stringify([...put]);
  const menus = menusFor(commands, audience);
  try {
    for (const menu of menus) {
      const { scope, commands: list } = menu;
      const digest = digestOf([selfId, list]);
      const name = nameOf(menu);
      if (put.get(name) === digest) continue;
      try {
        await client.call("setMyCommands", { commands: [...list], ...placeOf(menu) }, signal);
      } catch (error) {
        if (scope.type !== "chat" || !(isGatewayError(error, "not_found") || isGatewayError(error, "forbidden")))
          throw error;
        log.debug({ error }, "an owner who never wrote to this bot has no menu yet");
        continue;
      }
      put.set(name, digest);
    }
    for (const name of put.keys()) {
      const place = placeNamed(name);
      if (menus.some((menu) => nameOf(menu) === name) || place === undefined) continue;
      await client.call("deleteMyCommands", placeOf(place), signal);
      put.delete(name);
    }
  } finally {
    if (JSON.stringify([...put]) !== before) await store.write(storedAs, JSON.stringify(Object.fromEntries(put)));
  }
}

function menusFor(commands: readonly CommandInfo[], audience: Audience | undefined): readonly Menu[] {
  const tags = new Set(commands.flatMap(({ descriptions = {} }) => Object.keys(descriptions)));
  const languages = [...tags].filter((tag) => /^[a-z]{2}$/.test(tag)).slice(0, mostLanguages);
  return [undefined, ...languages].flatMap((language) =>
    menusIn(
      commands.map(({ description, descriptions = {}, ...command }) => {
        return { ...command, description: (language !== undefined && descriptions[language]) || description };
      }),
      audience,
    ).map((menu) => (language === undefined ? menu : { ...menu, language })),
  );
}

function menusIn(commands: readonly CommandInfo[], audience: Audience | undefined): readonly Menu[] {
  const all = listOf(commands);
  if (audience === undefined) return [{ scope: { type: "default" }, commands: all }];
  const forGuests = commands.filter(({ leastRole }) => leastRole === undefined);
  const direct = audience.direct === "guest" ? forGuests : commands.filter(({ leastRole }) => leastRole !== "owner");
  const owners = audience.owners.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
  return [
    { scope: { type: "default" }, commands: listOf(direct) },
    { scope: { type: "all_group_chats" }, commands: listOf(forGuests) },
    ...owners.slice(0, mostOwners).map((id): Menu => ({ scope: { type: "chat", chat_id: id }, commands: all })),
  ];
}

function listOf(commands: readonly CommandInfo[]): Menu["commands"] {
  return commands
    .filter(({ name }) => /^[a-z0-9_]{1,32}$/.test(name))
    .slice(0, maxCommands)
    .map(({ name, description }) => ({
      command: name,
      description: description.slice(0, maxDescriptionLength).trim() || name,
    }));
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

type Place = Pick<Menu, "scope" | "language">;

/** As Telegram takes it. */
function placeOf({ scope, language }: Place) {
  return { scope, ...(language === undefined ? {} : { language_code: language as LanguageCode }) };
}

/** `chat:42`, `default@de`. */
function nameOf({ scope, language }: Place): string {
  const name = scope.type === "chat" ? `chat:${scope.chat_id}` : scope.type;
  return language === undefined ? name : `${name}@${language}`;
}

function placeNamed(name: string): Place | undefined {
  const [place = "", language] = name.split("@");
  const [type, id] = place.split(":");
  const within = language === undefined ? {} : { language };
  if (type === "chat" && id !== undefined) return { scope: { type, chat_id: Number(id) }, ...within };
  return type === "default" || type === "all_group_chats" ? { scope: { type }, ...within } : undefined;
}

const storedSchema = z.record(z.string(), z.string());

/** Digests by scope. Earlier releases kept one digest, as it is: then every menu is put anew. */
function readStored(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined || !text.startsWith("{")) return {};
  try {
    return storedSchema.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}
