import { accountName, defineTool, oneLine, senderName, senderRole } from "@talaria/agent";
import { z } from "zod";

/** Tells where the conversation takes place and who has spoken in it. Names and the title are people's own words. */
export const conversationInfo = defineTool({
  name: "conversation_info",
  description:
    "Shows where this conversation takes place (platform, kind, title) and who has spoken in it (name, id, role, how well verified).",
  effect: "read",
  isRare: true,
  permissions: ["conversation.read"],
  input: z.strictObject({}),
  async execute(_input, { conversation, participants, requesters, roles }) {
    const { platform, kind, title, threadId } = conversation;
    const asking = new Set(requesters.map(({ userId }) => userId));
    const info = {
      platform,
      kind,
      ...(title !== undefined && { title: oneLine(title) }),
      inThread: threadId !== undefined,
      speakers: participants.map((sender) => ({
        name: senderName(sender),
        id: accountName(platform, sender.userId),
        role: senderRole(sender, roles.get(sender.userId)),
        verified: sender.assurance,
        asksNow: asking.has(sender.userId),
      })),
    };
    return { content: JSON.stringify(info, undefined, 1) };
  },
});
