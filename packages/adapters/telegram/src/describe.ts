import { cleanName } from "@talaria/adapter-kit";
import { richText } from "./rich-text.ts";
import type { TelegramContent } from "./update.ts";

/** UTF-16 units of what a web app sends or a gift says; Telegram takes 4,096 bytes of the one and 255 characters of the other. */
const maxLongFact = 4_096;
/** More options than Telegram lets a poll have are left out. */
const maxOptions = 12;
/** The same for the tasks of a checklist, and for people who are shared at once. */
const maxTasks = 30;
const maxPeople = 10;

/** One bracketed line about what a text cannot hold, such as a poll or a place. Undefined when there is nothing. */
export function descriptionOf(content: TelegramContent): string | undefined {
  const { poll, venue, location, contact, dice, game, invoice, sticker, video_note } = content;
  if (sticker) return note("sticker", sticker.emoji);
  if (video_note) return note("video note", video_note.duration === undefined ? "" : `${video_note.duration} s`);
  if (poll) return pollNote(poll);
  if (venue) return note("place", venue.title, venue.address);
  if (location) return note("location", `${location.latitude}, ${location.longitude}`);
  if (contact) return note("contact", `${contact.first_name ?? ""} ${contact.last_name ?? ""}`, contact.phone_number);
  if (dice) return note("dice", dice.emoji, dice.value?.toString());
  if (game) return note("game", game.title);
  if (invoice) return note("invoice", invoice.title);
  if (content.story) return note("story");
  if (content.giveaway) return note("giveaway");
  if (content.paid_media) return note("paid media");
  if (content.rich_message && richText(content.rich_message) === "") return note("a message without words");
  return checklistNote(content) ?? giftNote(content) ?? sharedNote(content);
}

function pollNote({ type, question, options = [] }: NonNullable<TelegramContent["poll"]>): string {
  const listed = options.slice(0, maxOptions).map(optionOf).join(" / ");
  return line(type === "quiz" ? "quiz" : "poll", [clean(question), listed]);
}

function optionOf({ text, voter_count: votes }: { text: string; voter_count?: number | undefined }): string {
  return votes === undefined || votes === 0 ? clean(text) : `${clean(text)} (${votes})`;
}

/** A checklist with its tasks, or what somebody did to one. Tasks of a list that Telegram does not show have only a number. */
function checklistNote(content: TelegramContent): string | undefined {
  const { checklist, checklist_tasks_done: changed, checklist_tasks_added: added } = content;
  if (checklist) {
    const tasks = checklist.tasks?.map(({ text, completion_date: at }) => (at ? `${clean(text)} (done)` : clean(text)));
    return line("checklist", [clean(checklist.title), listOf(tasks)]);
  }
  if (changed) {
    const known = changed.checklist_message?.checklist;
    const named = (ids: readonly string[] = []) =>
      listOf(ids.map((id) => clean(known?.tasks?.find((task) => task.id === id)?.text) || `task ${id}`));
    const done = named(changed.marked_as_done_task_ids);
    const undone = named(changed.marked_as_not_done_task_ids);
    const facts = [done && `done: ${done}`, undone && `not done: ${undone}`];
    return line("checklist", [clean(known?.title), ...facts]);
  }
  if (added) {
    const title = clean(added.checklist_message?.checklist?.title);
    return line("checklist", [title, `added: ${listOf(added.tasks?.map(({ text }) => clean(text)))}`]);
  }
  return undefined;
}

function listOf(tasks: readonly string[] = []): string {
  return tasks.slice(0, maxTasks).join(" / ");
}

function giftNote({ gift, unique_gift: unique }: TelegramContent): string | undefined {
  if (gift) {
    const stars = gift.gift?.star_count;
    return line("gift", [stars === undefined ? "" : `${stars} stars`, long(gift.text)]);
  }
  if (!unique) return undefined;
  const { base_name: name, number } = unique.gift ?? {};
  return line("gift", [clean(name) + (number === undefined ? "" : ` #${number}`), long(unique.text)]);
}

/** What a person sends with a button that the bot offered. A bad client can send any data, so it proves nothing. */
function sharedNote({
  web_app_data: data,
  users_shared: users,
  chat_shared: chat,
}: TelegramContent): string | undefined {
  if (data) return line("data of a web app", [clean(data.button_text), long(data.data)]);
  if (users) {
    const people = (users.users ?? []).slice(0, maxPeople).map(({ user_id: id, first_name = "", last_name = "" }) => {
      const name = clean(`${first_name} ${last_name}`);
      return name === "" ? id : `${name} (${id})`;
    });
    return line("people shared", people);
  }
  return chat && line("chat shared", [`${clean(chat.title)} (${chat.chat_id})`.trim()]);
}

function note(kind: string, ...facts: readonly (string | undefined)[]): string {
  return line(kind, facts.map(clean));
}

function clean(fact = ""): string {
  return cleanName(fact).replaceAll(/[[\]]/g, "");
}

/** A fact that may be longer than a name. Its brackets stay: what a web app sends is often JSON. */
function long(fact = ""): string {
  return fact
    .slice(0, maxLongFact)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
}

function line(kind: string, facts: readonly string[]): string {
  const shown = facts.filter((fact) => fact !== "");
  return shown.length === 0 ? `[${kind}]` : `[${kind}: ${shown.join(", ")}]`;
}
