import { editDistance, type InboundEvent, type SessionKey } from "@talaria/protocol";
import type { DirectSettlement } from "@talaria/store";
import { wordsFor } from "@talaria/words";
import { type CommandName, commandNames } from "./commands.ts";
import { noticeTo } from "./control.ts";

/** A slash word alone in its line, with or without arguments, in a message that is nothing else. */
const slashWord = /^\/([a-z]{3,20})(?:[ \t][^\r\n]*)?$/i;
/** The same with a name as skills have it. */
const slashName = /^\/([\p{L}\p{N}-]{3,64})(?:[ \t][^\r\n]*)?$/u;
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
  const word = wordIn(event, slashWord);
  if (word === undefined) return undefined;
  const other = Object.hasOwn(otherWords, word) ? otherWords[word] : undefined;
  if (other !== undefined) return other;
  return onlyNear(word, commandNames);
}

/** What a person's message begins with, if it is a slash and what may be a skill's name. */
export function skillNamed(event: InboundEvent): string | undefined {
  return wordIn(event, slashName);
}

/** The one of these names that a word is a mistake or two away from. */
export function onlyNear<Name extends string>(word: string, names: readonly Name[]): Name | undefined {
  const most = word.length < leastCharsOfTwo ? 1 : 2;
  const near = names.filter((name) => editDistance(word, name) <= most);
  return near.length === 1 ? near[0] : undefined;
}

function wordIn(event: InboundEvent, form: RegExp): string | undefined {
  if (event.type !== "message.created" || event.sender.role !== "person") return undefined;
  const { markdown, attachments } = event.message;
  return attachments.length === 0 ? form.exec(markdown.trim())?.[1]?.toLowerCase() : undefined;
}

/** What a mistyped command is answered with. Nothing is done. */
export function mistypedSettlement(meant: string, event: InboundEvent, sessionKey: SessionKey): DirectSettlement {
  const notice = { ...noticeTo(event, "command", wordsFor(event).notices.didYouMean(meant)), sessionKey };
  return { event, outcome: "command", reason: "command:mistyped", notice };
}
