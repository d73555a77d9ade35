import { type AskingContext, defineTool, type ToolContext } from "@talaria/agent";
import { type Conversation, GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { addressForm, addressOf } from "./address-of.ts";
import { askersIn, messagesOf } from "./askers-in.ts";

const mostTextChars = 4_000;

/** Says something in another conversation. What policy judged, and people read, is where it goes: nothing else is looked up. */
export const sendMessage = defineTool({
  name: "send_message",
  description:
    "Sends a message to another conversation, at an address from find_conversations. To answer in this one, just write your answer. " +
    "Replies over there do not come back here.",
  effect: "write",
  isRare: true,
  permissions: ["send"],
  input: z.strictObject({
    to: z
      .string()
      .regex(addressForm, "has to be an address such as telegram:user:123456 or slack:group:C024BE91L")
      .describe("<platform>:user:<id> or <platform>:group:<id>"),
    account: z.string().min(1).max(64).optional().describe("Yours, if you have several there"),
    text: z.string().trim().min(1).max(mostTextChars).describe(`Markdown, up to ${mostTextChars} characters`),
  }),
  resources: ({ to }) => [`recipient:${to}`],
  targets: ({ to }) => [{ kind: "recipient", recipient: to, isOrigin: false }],
  async obstacle({ to, account }, context) {
    const found = await placeFor(to, account, context);
    return typeof found === "string" ? found : undefined;
  },
  async execute({ to, account, text }, context) {
    const conversation = await placeFor(to, account, context);
    if (typeof conversation === "string") throw new GatewayError(conversation, { code: "not_found" });
    await messagesOf(context).send({ key: context.idempotencyKey, conversation, markdown: text });
    return { content: `It is on its way to ${to} (account ${conversation.accountId}).` };
  },
});

/** The conversation, or why there is none. */
async function placeFor(
  address: string,
  account: string | undefined,
  context: Pick<ToolContext, AskingContext>,
): Promise<Conversation | string> {
  const named = account === undefined ? {} : { accountId: account };
  const query = { address, ...named, askers: askersIn(context), limit: 10 };
  const found = (await messagesOf(context).find(query)).filter((place) => addressOf(place) === address);
  const { accountId, conversationId } = context.conversation;
  const isHere = ({ conversation: one }: (typeof found)[number]) =>
    one.accountId === accountId && one.conversationId === conversationId;
  const [place] = found.filter((one) => !isHere(one));
  if (place !== undefined) return place.conversation;
  return found.some(isHere)
    ? "this is the conversation that you are in: write it in your answer"
    : "there is no such conversation that everyone who asks may reach: look with find_conversations";
}
