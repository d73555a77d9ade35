import { cleanName } from "@talaria/adapter-kit";
import { z } from "zod";
import { type Content, odd } from "./wire.ts";

/** The stable type and the one from before, which most clients still send (MSC3381). */
export const pollTypes = ["m.poll.start", "org.matrix.msc3381.poll.start"] as const;

/** A poll has at most so many answers (MSC3381). */
const maxAnswers = 20;

/** A text in its stable form, a list of representations, and in the form from before, a string (MSC1767). */
const shape = {
  "m.text": odd(z.array(z.object({ body: z.string() }))),
  "org.matrix.msc1767.text": odd(z.string()),
  body: odd(z.string()),
};
const text = z.object(shape);
const poll = z.object({ question: text, answers: z.array(text) });
const started = z.object({ "m.poll": odd(poll), "org.matrix.msc3381.poll.start": odd(poll) });

/** A poll as one line, such as `[poll: Tea?, yes / no]`. Undefined when it can't be read. */
export function pollNote(content: Content): string | undefined {
  const { data } = started.safeParse(content);
  const read = data?.["m.poll"] ?? data?.["org.matrix.msc3381.poll.start"];
  if (read === undefined) return undefined;
  const answers = read.answers.slice(0, maxAnswers).map(wordsOf).filter(Boolean).join(" / ");
  return `[poll: ${[wordsOf(read.question), answers].filter(Boolean).join(", ")}]`;
}

function wordsOf({ body, ...texts }: z.output<typeof text>): string {
  const words = texts["m.text"]?.[0]?.body ?? texts["org.matrix.msc1767.text"] ?? body ?? "";
  return cleanName(words).replaceAll(/[[\]]/g, "");
}
