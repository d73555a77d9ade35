import { badRequest } from "../api-error.ts";
import { toWireChat, wireUser } from "../wire.ts";
import type { Method, MethodCall } from "./method.ts";
import { targetChat } from "./target.ts";

const maxCommands = 100;

export const getMe: Method = ({ bot }) => bot.user;

/** The menu that is meant: of a scope, and there of one language or of all that have none of their own. */
function menuOf(call: MethodCall): string {
  const language = call.parameters.text("language_code") ?? "";
  if (language !== "" && !/^[a-z]{2}$/.test(language)) throw badRequest("invalid language code specified");
  return language === "" ? scopeOf(call) : `${scopeOf(call)}@${language}`;
}

/** As in core.telegram.org/bots/api#botcommandscope, those that we use. */
function scopeOf(call: MethodCall): string {
  const scope = call.parameters.object("scope") ?? { type: "default" };
  if (scope.type === "default" || scope.type === "all_group_chats") return scope.type;
  if (scope.type !== "chat") throw badRequest("unsupported type of BotCommandScope");
  const chat = call.world.chatFor(call.bot, Number(scope.chat_id));
  if (chat === undefined) throw badRequest("chat not found");
  return `chat:${Number(scope.chat_id)}`;
}

export const setMyCommands: Method = (call) => {
  const { bot, parameters } = call;
  const commands = parameters.list("commands") ?? [];
  if (commands.length > maxCommands) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  for (const value of commands) {
    const { command, description } = value as { command?: unknown; description?: unknown };
    if (typeof command !== "string" || !/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest("BOT_COMMAND_INVALID");
    if (typeof description !== "string" || description.length < 1 || description.length > 256) {
      throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    }
  }
  bot.menus.set(menuOf(call), commands);
  return true;
};

export const deleteMyCommands: Method = (call) => {
  call.bot.menus.delete(menuOf(call));
  return true;
};

export const getMyCommands: Method = (call) => call.bot.menus.get(menuOf(call)) ?? [];

export const getChat: Method = (call) => {
  const chat = targetChat(call);
  return { ...toWireChat(chat), accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: {} };
};

export const getChatMember: Method = (call) => {
  const chat = targetChat(call);
  const id = call.parameters.integer("user_id");
  const member = id === undefined ? undefined : chat.members.get(id);
  if (member) return { user: wireUser(member), status: "member" };
  const bot = [...call.world.bots.values()].find((candidate) => candidate.user.id === id);
  const status = bot && chat.bots.get(bot.user.id);
  if (bot && status) return { user: wireUser(bot.user), status };
  throw badRequest("PARTICIPANT_ID_INVALID");
};

export const leaveChat: Method = (call) => {
  const chat = targetChat(call);
  if (!chat.isGroup) throw badRequest("chat member status can't be changed in private chats");
  chat.bots.set(call.bot.user.id, "left");
  return true;
};

export const close: Method = () => true;

export const logOut: Method = () => true;
