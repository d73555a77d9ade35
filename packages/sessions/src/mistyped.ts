import { editDistance, type InboundEvent, type SessionKey } from "@talaria/protocol";
import type { DirectSettlement } from "@talaria/store";
import { wordsFor } from "@talaria/words";
import { type CommandName, commandNames } from "./commands.ts";
import { noticeTo } from "./control.ts";

/** A slash word alone in its line, with or without arguments, in a message that is nothing else. */
const slashWord = /^\/([a-z]{3,20})(?:[ \t][^\r\n]*)?$/i;
/** In shorter words two mistakes leave too little to tell what was meant. */
const leastCharsOfTwo = 5;

/** What people call a command who know it from elsewhere. */
const otherWords: Readonly<Record<string, CommandName>> = {
  commands: "help",
  menu: "help",
  tools: "settings",
  cancel: "stop",
  abort: "stop",
  reset: "new",
  clear: "new",
  pair: "people",
};

/** The one command that a person's message is a mistake or two away from. */
export function commandMeant(event: InboundEvent): CommandName | undefined {
  if (event.type !== "message.created" || event.sender.role !== "person") return undefined;
  const { markdown, attachments } = event.message;
  const word = attachments.length === 0 ? slashWord.exec(markdown.trim())?.[1]?.toLowerCase() : undefined;
  if (word === undefined) return undefined;
  const other = Object.hasOwn(otherWords, word) ? otherWords[word] : undefined;
  if (other !== undefined) return other;
  const most = word.length < leastCharsOfTwo ? 1 : 2;
  const close = commandNames.filter((name) => editDistance(word, name) <= most);
  return close.length === 1 ? close[0] : undefined;
}

/** What a mistyped command is answered with. Nothing is done. */
export function mistypedSettlement(meant: CommandName, event: InboundEvent, sessionKey: SessionKey): DirectSettlement {
  const notice = { ...noticeTo(event, "command", wordsFor(event).notices.didYouMean(meant)), sessionKey };
  return { event, outcome: "command", reason: "command:mistyped", notice };
}
