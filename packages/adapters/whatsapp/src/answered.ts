import { brandAs, type Quote, type UserId } from "@talaria/protocol";

/** What an answered message is shown as by whom, where it is one of ours. */
export function ofOurs(ourId: string): Pick<Quote, "userId" | "displayName" | "own"> {
  return { userId: brandAs<UserId>(ourId), displayName: "you", own: true };
}

/** For a message that answers one whose words nobody knows any more. */
export function unknownAnswered(isOurs: boolean): Quote {
  const whose = isOurs ? "of yours" : "of this conversation";
  const markdown = `this answers an earlier message ${whose}, whose words are not known any more`;
  return { userId: brandAs<UserId>("whatsapp"), displayName: "WhatsApp", markdown, fact: true };
}
