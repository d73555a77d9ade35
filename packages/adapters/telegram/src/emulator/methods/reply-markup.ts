import type { InlineKeyboardMarkup } from "grammy/types";
import { badRequest } from "../api-error.ts";
import type { Parameters } from "../parameters.ts";

const maxCallbackDataBytes = 64;
const maxButtons = 100;

/** The inline keyboard of a call, checked as strictly as the server does; other kinds of keyboards are accepted and not kept. */
export function readReplyMarkup(parameters: Parameters): InlineKeyboardMarkup | undefined {
  const keyboard = parameters.object("reply_markup")?.inline_keyboard;
  if (keyboard === undefined) return undefined;
  if (!Array.isArray(keyboard) || !keyboard.every(Array.isArray)) {
    throw badRequest('can\'t parse inline keyboard: Field "inline_keyboard" must be of type Array of Array');
  }
  const rows = (keyboard as unknown[][]).filter((row) => row.length > 0);
  for (const button of rows.flat()) checkButton(button);
  if (rows.flat().length > maxButtons) throw badRequest("reply markup is too long");
  return rows.length === 0 ? undefined : ({ inline_keyboard: rows } as InlineKeyboardMarkup);
}

function checkButton(value: unknown): void {
  if (typeof value !== "object" || value === null) {
    throw badRequest("can't parse inline keyboard button: Expected an Object");
  }
  const { text, callback_data: data, url, ...rest } = value as Record<string, unknown>;
  if (typeof text !== "string" || text.trim() === "") {
    throw badRequest('can\'t parse inline keyboard button: Field "text" must be non-empty');
  }
  if (data === undefined && url === undefined && Object.keys(rest).length === 0) {
    throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
  }
  if (data === undefined) return;
  const bytes = typeof data === "string" ? Buffer.byteLength(data) : 0;
  if (bytes < 1 || bytes > maxCallbackDataBytes) throw badRequest("BUTTON_DATA_INVALID");
}
