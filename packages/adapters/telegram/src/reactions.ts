import { GatewayError } from "@talaria/protocol";
import type { Args } from "./client.ts";

/** What a bot may react with: `ReactionTypeEmoji` of the Bot API. Written without the variation selector. */
const available: ReadonlySet<string> = new Set(
  (
    "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 " +
    "👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"
  ).split(" "),
);

/** What stands in for an emoji that Telegram lacks. Signs of a status first. */
const standIns: ReadonlyMap<string, string> = new Map([
  ["⏳", "✍"],
  ["⌛", "✍"],
  ["🔄", "✍"],
  ["✅", "👌"],
  ["✔", "👌"],
  ["☑", "👌"],
  ["❌", "😢"],
  ["✖", "😢"],
  ["🚫", "😢"],
  ["⚠", "😨"],
  ["👁", "👀"],
  ["♥", "❤"],
  ["😂", "🤣"],
  ["😀", "😁"],
  ["🚀", "🔥"],
]);

export type Reaction = NonNullable<Args<"setMessageReaction">["reaction"]>[number];

/** The reaction that shows an emoji. Skin tones fall away. Throws `unsupported` where nothing stands for it. */
export function toReaction(emoji: string): Reaction {
  const custom = /^custom:(\d{1,20})$/.exec(emoji)?.[1];
  if (custom !== undefined) return { type: "custom_emoji", custom_emoji_id: custom };
  const plain = emoji.replaceAll(/[\uFE0F\u{1F3FB}-\u{1F3FF}]/gu, "");
  const shown = available.has(plain) ? plain : standIns.get(plain);
  if (shown !== undefined) return { type: "emoji", emoji: shown } as Reaction;
  throw new GatewayError("telegram has no such reaction", { code: "unsupported" });
}

/** Messages whose reaction of ours is remembered; the oldest are forgotten first. */
const maxRemembered = 5_000;

/**
 * A bot has one reaction per message, and setting it replaces the one before. So that taking one away leaves a newer one
 * alone, we remember what we set; after a restart taking any away takes away what there is.
 */
export class OwnReactions {
  readonly #byMessage = new Map<string, string>();

  set(message: string, reaction: Reaction): void {
    this.#byMessage.delete(message);
    this.#byMessage.set(message, JSON.stringify(reaction));
    for (const oldest of this.#byMessage.keys()) {
      if (this.#byMessage.size <= maxRemembered) return;
      this.#byMessage.delete(oldest);
    }
  }

  remove(message: string): void {
    this.#byMessage.delete(message);
  }

  /** Whether taking `reaction` away would take away another one. */
  isReplaced(message: string, reaction: Reaction): boolean {
    const known = this.#byMessage.get(message);
    return known !== undefined && known !== JSON.stringify(reaction);
  }
}
