import { invalidField, unknownApplication, unknownWebhook } from "./api-error.ts";
import { readComponents } from "./components.ts";
import type { Asked } from "./interactions.ts";
import { readContent, readFiles, readFlags, readMentions, requireSomething } from "./message-content.ts";
import type { Route, RouteCall } from "./route.ts";
import type { StoredMessage } from "./state.ts";
import { toWireMessage } from "./wire.ts";

const onlyForThem = 1 << 6;
const thinking = 1 << 7;
/** The type of a message that answers a slash command. */
const commandAnswer = 20;

export const answerInteraction: Route = (call) => {
  const { interactions, parameters, body } = call;
  const { type, data } = body as { type?: unknown; data?: unknown };
  if (typeof type !== "number" || ![1, 4, 5, 6, 7].includes(type))
    throw invalidField("type", "BASE_TYPE_CHOICES", "Value must be one of (1, 4, 5, 6, 7).");
  const fields = typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  const perform = (asked: Asked) => performAnswer(type, fields, asked, call);
  interactions.answer(parameters.interaction ?? "", parameters.token ?? "", { type, data: fields }, perform);
  return undefined;
};

/** What people see of an answer; undefined when nobody but the asker sees it. */
function performAnswer(type: number, fields: Fields, asked: Asked, { world }: RouteCall): StoredMessage | undefined {
  const flags = typeof fields.flags === "number" ? fields.flags : 0;
  const components = readComponents(fields);
  const { pressed, channel } = asked;
  if ((type === 6 || type === 7) && pressed === undefined)
    throw invalidField("type", "INTERACTION_TYPE_INVALID", "Only presses can be answered so.");
  if (type === 7 && pressed !== undefined) {
    const content = fields.content === undefined ? pressed.content : readContent(fields);
    world.edit(pressed, content, components === undefined ? {} : { components });
  }
  if (type === 6 || type === 7) return pressed;
  const content = readContent(fields);
  readMentions(fields);
  if (type === 4) requireSomething(content, [], components ?? []);
  if ((flags & onlyForThem) !== 0) return undefined;
  const seen = type === 5 ? thinking : 0;
  return world.post(channel, world.bot, { content, components: components ?? [], flags: seen, type: commandAnswer });
}

type Fields = Readonly<Record<string, unknown>>;

export const getOriginal: Route = (call) => toWireMessage(originalOf(call), call.seer);

/** Also how a command that shows as "thinking" gets its answer. */
export const editOriginal: Route = (call) => {
  const { world, seer, body } = call;
  const message = originalOf(call);
  const content = body.content === undefined ? message.content : readContent(body);
  const isQuiet = !readMentions(body).users;
  const files = readFiles(call, () => world.nextId());
  const components = readComponents(body) ?? message.components;
  requireSomething(content, [...message.files, ...files], components);
  world.attach(message, files);
  world.edit(message, content, { isQuiet, components, flags: (readFlags(body) ?? message.flags) & ~thinking });
  return toWireMessage(message, seer);
};

export const deleteOriginal: Route = (call) => {
  call.world.delete(originalOf(call));
  return undefined;
};

function originalOf({ interactions, parameters, world }: RouteCall): StoredMessage {
  if (parameters.application !== world.bot.id) throw unknownWebhook();
  return interactions.original(parameters.token ?? "");
}

const maxCommands = 100;
const maxOptions = 25;

/** Replaces all commands of the bot. */
export const putCommands: Route = ({ commands, body, world, parameters }) => {
  if (parameters.application !== world.bot.id) throw unknownApplication();
  if (!Array.isArray(body.list)) throw invalidField("_errors", "BASE_TYPE_LIST", "Only lists are taken here.");
  const given = body.list as Record<string, unknown>[];
  if (given.length > maxCommands)
    throw invalidField("_errors", "BASE_TYPE_MAX_LENGTH", `Must be ${maxCommands} or fewer in length.`);
  const names = new Set<unknown>();
  for (const [index, command] of given.entries()) {
    checkNamed(command, String(index));
    checkLocalized(command, String(index));
    if (names.has(command.name))
      throw invalidField(
        String(index),
        "APPLICATION_COMMANDS_DUPLICATE_NAME",
        "Application command names must be unique",
      );
    names.add(command.name);
    const options = Array.isArray(command.options) ? (command.options as Record<string, unknown>[]) : [];
    if (options.length > maxOptions)
      throw invalidField(`${index}.options`, "BASE_TYPE_MAX_LENGTH", `Must be ${maxOptions} or fewer in length.`);
    for (const [number, option] of options.entries()) checkNamed(option, `${index}.options.${number}`);
  }
  const facts = { application_id: world.bot.id, version: "1" };
  commands.splice(0, commands.length, ...given.map((command) => ({ ...command, ...facts, id: world.nextId() })));
  return [...commands];
};

/** discord.com/developers/docs/reference#locales */
const locales = new Set(
  "id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko".split(
    " ",
  ),
);

function checkLocalized({ description_localizations: localized }: Record<string, unknown>, path: string): void {
  if (localized === undefined || localized === null) return;
  for (const [locale, description] of Object.entries(localized)) {
    const at = `${path}.description_localizations.${locale}`;
    if (!locales.has(locale)) throw invalidField(at, "BASE_TYPE_CHOICES", "Value must be one of the locales.");
    checkNamed({ name: "any", description }, at);
  }
}

function checkNamed({ name, description }: Record<string, unknown>, path: string): void {
  if (typeof name !== "string" || !/^[-_\p{Ll}\p{N}]{1,32}$/u.test(name))
    throw invalidField(`${path}.name`, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
  if (typeof description !== "string" || description.length < 1 || description.length > 100)
    throw invalidField(`${path}.description`, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
}
