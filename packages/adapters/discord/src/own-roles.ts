import { BoundedMap, cleanName } from "@talaria/adapter-kit";
import { isGatewayError } from "@talaria/protocol";
import type { DiscordClient } from "./client.ts";
import { type DiscordRole, read } from "./wire.ts";

/** A bot is in fewer servers than this before it needs sharding. */
const keptGuilds = 5_000;

/** Names of roles by their ids. */
export type RoleNames = ReadonlyMap<string, string>;

const none: RoleNames = new Map();

/**
 * The roles that Discord itself keeps for us: it makes one, named like the bot, in each server that invites a bot with
 * permissions, and people pick it where they mean the bot. `tags.bot_id` of the role object tells whose it is
 * (discord.com/developers/docs/topics/permissions#role-object).
 */
export class OwnRoles {
  readonly #client: DiscordClient;
  readonly #guilds = new BoundedMap<string, RoleNames>(keptGuilds);
  #selfId = "";

  constructor(client: DiscordClient) {
    this.#client = client;
  }

  /** A new session begins, and will list the roles of every server. */
  begin(selfId: string): void {
    this.#selfId = selfId;
    this.#guilds.clear();
  }

  /** A session was resumed: what it lists no more is asked for when it is needed. */
  forgetAll(): void {
    this.#guilds.clear();
  }

  /** All roles of a server. */
  learn(guildId: string, roles: readonly DiscordRole[]): void {
    const own = roles.filter((role) => this.#isOwn(role));
    this.#guilds.set(guildId, new Map(own.map(({ id, name }) => [id, cleanName(name ?? "") || id])));
  }

  /** One role that is new or changed. */
  change(guildId: string, role: DiscordRole): void {
    const known = this.#guilds.get(guildId);
    if (known === undefined) return;
    const others = [...known].filter(([id]) => id !== role.id);
    const own = this.#isOwn(role) ? [[role.id, cleanName(role.name ?? "") || role.id] as const] : [];
    this.#guilds.set(guildId, new Map([...others, ...own]));
  }

  forget(guildId: string, roleId: string): void {
    const known = this.#guilds.get(guildId);
    if (known?.has(roleId)) this.#guilds.set(guildId, new Map([...known].filter(([id]) => id !== roleId)));
  }

  /**
   * Our roles in a server. Asks Discord where the session has not listed them. None in direct messages, and where we may
   * not see the server. Throws GatewayError when Discord cannot be asked now.
   */
  async in(guildId: string | undefined, signal: AbortSignal): Promise<RoleNames> {
    if (guildId === undefined) return none;
    const known = this.#guilds.get(guildId);
    if (known !== undefined) return known;
    try {
      const path = `/guilds/${guildId}/roles` as const;
      this.learn(guildId, read.roles(await this.#client.call({ method: "GET", path }, signal)) ?? []);
    } catch (error) {
      if (!isGatewayError(error, "not_found") && !isGatewayError(error, "forbidden")) throw error;
      this.learn(guildId, []);
    }
    return this.#guilds.get(guildId) ?? none;
  }

  #isOwn({ tags }: DiscordRole): boolean {
    return tags?.bot_id !== undefined && tags.bot_id === this.#selfId;
  }
}
