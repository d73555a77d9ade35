import type { TelegramEntity } from "./update.ts";

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
}

/** A text without our handle where that only says to whom the text is said. */
export interface Addressed extends FormattedText {
  /** Our handle was there. */
  readonly isAddressed: boolean;
}

/**
 * Turns `/name@us` into `/name`, and `@us, text` into `text`, so that commands are found after either. Commands for other
 * bots stay as they are, and so does our handle further on: there it is part of a sentence. A text
 * that is nothing else stays whole: it asks us to look at what it answers.
 */
export function withoutOwnHandle(said: FormattedText, username: string): Addressed {
  const own = username.toLowerCase();
  const rest = withoutLeadingHandle(said, own);
  const text = rest ?? said;
  const command = text.entities.find(
    (entity) => entity.type === "bot_command" && slice(text, entity).endsWith(`@${own}`),
  );
  if (command === undefined) return { ...text, isAddressed: rest !== undefined };
  const end = command.offset + command.length;
  return { ...without(text, end - own.length - 1, end), isAddressed: true };
}

/** Undefined when the text does not begin with our handle, or is nothing else. */
function withoutLeadingHandle(said: FormattedText, own: string): FormattedText | undefined {
  const start = said.text.length - said.text.trimStart().length;
  const handle = said.entities.find(({ type, offset }) => type === "mention" && offset === start);
  if (handle === undefined || slice(said, handle) !== `@${own}`) return undefined;
  const end = start + handle.length;
  const [separator = ""] = /^[,:]?\s*/.exec(said.text.slice(end)) ?? [];
  const next = end + separator.length;
  return next === said.text.length ? undefined : without(said, 0, next);
}

/** Cuts a piece out; formatting moves with its text, and what formatted only the piece is gone. */
function without({ text, entities }: FormattedText, start: number, end: number): FormattedText {
  const inRest = (position: number) => (position <= start ? position : Math.max(start, position - (end - start)));
  const moved = entities.flatMap((entity) => {
    const offset = inRest(entity.offset);
    const length = inRest(entity.offset + entity.length) - offset;
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
  return { text: text.slice(0, start) + text.slice(end), entities: moved };
}

function slice({ text }: FormattedText, { offset, length }: TelegramEntity): string {
  return text.slice(offset, offset + length).toLowerCase();
}
