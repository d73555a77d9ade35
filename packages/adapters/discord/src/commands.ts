import { createHash } from "node:crypto";
import type { AdapterStore, CommandInfo } from "@talaria/adapter";
import type { Lanes } from "@talaria/adapter-kit";
import { isGatewayError, type Log } from "@talaria/protocol";
import type { DiscordClient } from "./client.ts";

/** Commands of one application, and characters of a description. */
const maxCommands = 100;
const maxDescription = 100;
const storeName = "commands";
/** In which Discord's apps are shown: discord.com/developers/docs/reference#locales. English is said where no other is. */
const locales =
  "id da de es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko".split(
    " ",
  );

export interface CommandMenuDeps {
  readonly lanes: Lanes;
  readonly client: DiscordClient;
  readonly store: AdapterStore;
  readonly log: Log;
  readonly commands: readonly CommandInfo[];
}

/** Our commands in Discord's menu, in servers and direct messages, in place of all that were there before. */
export class CommandMenu {
  readonly #deps: CommandMenuDeps;

  constructor(deps: CommandMenuDeps) {
    this.#deps = deps;
  }

  /** Shows them, soon, unless they are the ones of last time. Discord refusing them is logged and no error. */
  queue(applicationId: string): void {
    this.#deps.lanes.addOnce("commands", "commands", (signal) => this.#register(applicationId, signal));
  }

  async #register(applicationId: string, signal: AbortSignal): Promise<void> {
    const { client, store, log, commands } = this.#deps;
    const body = commands.slice(0, maxCommands).map(toCommand);
    const digest = createHash("sha256")
      .update(JSON.stringify([applicationId, body]))
      .digest("base64url");
    if ((await store.read(storeName)) === digest) return;
    try {
      await client.call({ method: "PUT", path: `/applications/${applicationId}/commands`, body }, signal);
    } catch (error) {
      if (signal.aborted || isGatewayError(error, "rate_limited") || isGatewayError(error, "unavailable")) throw error;
      log.warn({ error }, "discord refuses our slash commands; mentions followed by a command still work");
      return;
    }
    await store.write(storeName, digest);
  }
}

/**
 * One command with one optional text behind it. Numbers are those of Discord's documentation. Its menus can't tell our owners from others:
 * it shows everybody the same in private, and in servers hides commands by the server's own permissions alone, which say nothing of ours
 * (discord.com/developers/docs/interactions/application-commands#permissions). What works in private alone is left out in servers.
 */
function toCommand({ name, description, descriptions, isPrivate }: CommandInfo) {
  const text = { type: 3, name: "text", description: "What to add to the command", required: false };
  const localized = descriptions === undefined ? {} : localizedBy(descriptions);
  return {
    type: 1,
    name,
    description: lineOf(description) || name,
    ...(Object.keys(localized).length === 0 ? {} : { description_localizations: localized }),
    contexts: isPrivate ? [1] : [0, 1],
    options: [text],
  };
}

/** The language of a locale, or the one that it is a kind of. */
function localizedBy(descriptions: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    locales.flatMap((locale) => {
      const [language = ""] = locale.split("-");
      const line = lineOf(descriptions[locale.toLowerCase()] ?? descriptions[language] ?? "");
      return line === "" ? [] : [[locale, line]];
    }),
  );
}

function lineOf(description: string): string {
  const line = description.replaceAll(/\s+/g, " ").trim();
  return [...line].slice(0, maxDescription).join("");
}
