import { defineTool, oneLine } from "@talaria/agent";
import { z } from "zod";
import { addressOf } from "./address-of.ts";
import { askersIn, messagesOf } from "./askers-in.ts";

const mostPlaces = 20;
const mostNameChars = 80;

/** Names where `send_message` can go. Titles and names are words of strangers. */
export const findConversations = defineTool({
  name: "find_conversations",
  description:
    "Lists other conversations that you take part in and that everyone asking you may reach, with the address that send_message " +
    `needs: the newest ${mostPlaces}, or those with name in their title or person's name.`,
  effect: "read",
  isRare: true,
  permissions: ["conversation.read"],
  resources: () => [],
  input: z.strictObject({
    name: z.string().trim().min(1).max(200).optional(),
  }),
  async execute({ name }, context) {
    const query = { ...(name === undefined ? {} : { name }), askers: askersIn(context), limit: mostPlaces };
    const places = await messagesOf(context).find(query);
    const lines = places.flatMap((place) => {
      const { conversation, person } = place;
      const address = addressOf(place);
      const shown = oneLine(person?.displayName ?? conversation.title ?? "").slice(0, mostNameChars);
      return address === undefined ? [] : [`${address} (account ${conversation.accountId}): ${shown || "no name"}`];
    });
    return { content: lines.length === 0 ? "There is none." : lines.join("\n"), untrusted: true };
  },
});
