import type { Conversation, Sender } from "@talaria/protocol";
import type { GroupDecision, MetGroup } from "@talaria/store";
import { codeOf } from "../marks.ts";
import { calledPlace } from "./called-place.ts";
import { nameAndId } from "./people-notices.ts";

/** What owners read about groups that are not let in. People choose the titles of groups. Markdown. */
export const groupNotices = {
  /** Why owners are asked. `by`: who it was, where the platform tells; `you`: whoever reads it. */
  asks: {
    added: (group: Conversation, by: Sender | "you" | undefined) =>
      `${by === "you" ? "You've" : `${whoIs(by)} has`} added me to ${calledPlace({ conversation: group })}.`,
    wrote: (group: Conversation, by: Sender | "you" | undefined) =>
      by === "you"
        ? `You wrote in ${calledPlace({ conversation: group })}.`
        : `${whoIs(by)} wrote in ${calledPlace({ conversation: group })}, a group I don't know.`,
  },
  question: (why: string, id: string, canLeave: boolean) => {
    const n = id.slice(0, 8);
    const leave = canLeave ? `, \`/people ignore ${n}\` or \`/people leave ${n}\`` : ` or \`/people ignore ${n}\``;
    return `${why} I answer nobody there until an owner lets the group in.\n\nTap a button, or write \`/people add ${n}\`${leave}.`;
  },
  buttons: { allowed: "Let this group in", ignored: "Ignore", left: "Leave it" },
  done: (group: MetGroup, to: GroupDecision) => {
    const name = groupName(group);
    switch (to) {
      case "allowed":
        return `I answer in ${name} now.${group.messages > 0 ? " What was written to me there before has to be written again." : ""} \`talaria groups remove\`, where I run, ends it.`;
      case "ignored":
        return `I answer nobody in ${name}, and don't ask again. \`talaria groups\`, where I run, shows how to let it in.`;
      case "left":
        return `I'm leaving ${name}.`;
      default:
        return to satisfies never;
    }
  },
  gone: "Nothing was done: nobody is asked about that group any more. `talaria groups`, where I run, lists the groups I know.",
  tooLate: "Nothing was done: that was decided before. `talaria groups`, where I run, shows how the group stands.",
  /** The configuration says so by now. */
  off: (account: string) =>
    `Nothing was done: \`accounts.${account}.access.groups\` is \`off\`. Set it to \`allowlist\` first.`,
  cannotLeave: "Nothing was done: I can't leave groups there by myself. Remove me in the app.",
} as const;

/** Whoever only claims to be somebody is nobody whom we could name. */
function whoIs(sender: Sender | undefined): string {
  return sender === undefined || sender.assurance === "claimed" ? "Somebody" : nameAndId(sender);
}

function groupName({ title, conversationId, accountId }: MetGroup): string {
  const name = title === undefined || title.trim() === "" ? conversationId : title;
  return `${codeOf(name)} on ${codeOf(accountId)}`;
}
