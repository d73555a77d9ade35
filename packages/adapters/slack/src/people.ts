import { BoundedMap, cleanName } from "@talaria/adapter-kit";
import { type Clock, type Sender, spoken } from "@talaria/protocol";
import type { SlackClient } from "./client.ts";
import { read } from "./wire.ts";

export interface Person extends Pick<Sender, "language"> {
  readonly displayName: string;
  readonly handle: string;
  readonly isBot: boolean;
}

const keptPeople = 5_000;
const keptChannels = 2_000;
/** Names change rarely. */
const freshMs = 60 * 60_000;
/** People of one text that are looked up; the others keep their ids. */
const mostAtOnce = 20;
const mostChannelsAtOnce = 5;

interface Entry<T> {
  readonly value: T;
  readonly until: number;
}

/** Names of people and channels, and the language of people, asked once an hour. A name that cannot be had holds nothing up. */
export class People {
  readonly #client: SlackClient;
  readonly #clock: Clock;
  readonly #people = new BoundedMap<string, Entry<Person>>(keptPeople);
  readonly #titles = new BoundedMap<string, Entry<string | undefined>>(keptChannels);

  constructor(client: SlackClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Those of the people that are known, at most twenty of them asked for. */
  async of(ids: Iterable<string>, signal: AbortSignal): Promise<ReadonlyMap<string, Person>> {
    const wanted = [...new Set(ids)].slice(0, mostAtOnce);
    const found = await Promise.all(wanted.map(async (id) => [id, await this.#person(id, signal)] as const));
    return new Map(found.flatMap(([id, person]) => (person === undefined ? [] : [[id, person]])));
  }

  /** Undefined, too, where Slack does not tell it now. */
  async languageOf(id: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    return id === undefined ? undefined : (await this.#person(id, signal))?.language;
  }

  /** The names of channels, at most five of them asked for. */
  async titlesOf(channels: Iterable<string>, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const wanted = [...new Set(channels)].slice(0, mostChannelsAtOnce);
    const found = await Promise.all(wanted.map(async (id) => [id, await this.titleOf(id, signal)] as const));
    return new Map(found.flatMap(([id, title]) => (title === undefined ? [] : [[id, title]])));
  }

  async titleOf(channel: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#fresh(this.#titles, channel, async () => {
      const answer = await this.#client.call("conversations.info", { channel }, signal);
      return cleanName(read.channel(answer)?.channel.name ?? "") || undefined;
    });
  }

  #person(id: string, signal: AbortSignal): Promise<Person | undefined> {
    return this.#fresh(this.#people, id, async () => {
      // With `users:read`, as names are: docs.slack.dev/reference/methods/users.info.
      const args = { user: id, include_locale: true };
      const answer = read.user(await this.#client.call("users.info", args, signal))?.user;
      const profile = answer?.profile ?? {};
      const names = [profile.display_name, profile.real_name, answer?.real_name, answer?.name];
      const displayName = names.map((name) => cleanName(name ?? "")).find((name) => name !== "") ?? id;
      const isBot = answer?.is_bot ?? false;
      return { displayName, handle: cleanName(answer?.name ?? ""), isBot, ...spoken(answer?.locale) };
    });
  }

  async #fresh<T>(cache: Map<string, Entry<T>>, id: string, ask: () => Promise<T>): Promise<T | undefined> {
    const now = this.#clock.elapsed();
    const kept = cache.get(id);
    if (kept !== undefined && kept.until > now) return kept.value;
    try {
      const value = await ask();
      cache.set(id, { value, until: now + freshMs });
      return value;
    } catch {
      return kept?.value;
    }
  }
}
