import type { DiscordContent, DiscordEmbed } from "./wire.ts";

/** Longest text that is read out of embeds and components, in UTF-16 units: Discord allows 6,000 and 4,000 characters. */
const longestText = 8_000;
/** Components that are looked at; a message has at most 40. */
const mostComponents = 200;
const deepest = 5;

/** Numbers of Discord's documentation (components/reference): whatever people press or fill in is left out. */
const textDisplay = 10;

/**
 * What a message of an app says where it has no text of its own: the words of its embeds, else those of its components. Bounded in
 * length, number and depth. Not for what people write: beside their words Discord shows embeds of the pages they link to.
 */
export function appWords({ embeds, components }: DiscordContent): string {
  const said = embeds.map(embedText).filter((text) => text !== "");
  const shown = said.length > 0 ? said : componentTexts(components);
  return shown.join("\n").slice(0, longestText);
}

function embedText({ title, url, author, description, fields, footer }: DiscordEmbed): string {
  const heading = title !== undefined && url !== undefined ? `[${title.replaceAll(/[[\]]/g, "\\$&")}](${url})` : title;
  const facts = fields.map(({ name, value }) => [name, value].filter(Boolean).join(": "));
  return [heading ?? url, author?.name, description, ...facts, footer?.text].filter(Boolean).join("\n");
}

/** Text displays and descriptions of pictures, in the order in which people see them. */
function componentTexts(components: readonly object[]): readonly string[] {
  const texts: string[] = [];
  let left = mostComponents;
  const visit = (value: unknown, depth: number): void => {
    left -= 1;
    if (left < 0 || depth > deepest || typeof value !== "object" || value === null) return;
    const { type, content, description, components: inner, items, accessory } = value as Record<string, unknown>;
    const words = type === textDisplay ? content : description;
    if (typeof words === "string" && words !== "") texts.push(words);
    for (const part of [inner, items])
      if (Array.isArray(part)) for (const one of part.slice(0, Math.max(0, left))) visit(one, depth + 1);
    if (accessory !== undefined) visit(accessory, depth + 1);
  };
  for (const component of components) visit(component, 0);
  return texts;
}
