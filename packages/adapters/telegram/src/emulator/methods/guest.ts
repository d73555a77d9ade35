import { badRequest } from "../api-error.ts";
import { isInvisible, maxTextLength, readFormattedText } from "../formatted-text.ts";
import { Parameters } from "../parameters.ts";
import type { Method } from "./method.ts";

const longestResultId = 64;

/**
 * core.telegram.org/bots/api#answerguestquery, with an article that holds a text (#inlinequeryresultarticle, #inputtextmessagecontent). No
 * document names the refusal of an unknown query, of one that was answered or of one that is too old: here they get that of #answerinlinequery.
 */
export const answerGuestQuery: Method = ({ world, bot, parameters }) => {
  const query = world.guestQueries.get(parameters.text("guest_query_id"));
  if (query === undefined || query.botId !== bot.user.id || query.answer !== undefined)
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  const { type, id, title, input_message_content: content } = parameters.object("result") ?? {};
  if (type !== "article") throw badRequest("this emulator knows articles only");
  if (typeof id !== "string" || id === "" || Buffer.byteLength(id) > longestResultId)
    throw badRequest("RESULT_ID_INVALID");
  if (typeof title !== "string" || title === "") throw badRequest("RESULT_TITLE_EMPTY");
  if (typeof content !== "object" || content === null) throw badRequest("MESSAGE_EMPTY");
  const said = new Parameters(content as Record<string, unknown>);
  const body = readFormattedText(said, { text: "message_text", entities: "entities" });
  if (isInvisible(body.text)) throw badRequest("message text is empty");
  if (body.text.length > maxTextLength) throw badRequest("message is too long");
  query.answer = body;
  return { inline_message_id: `AgAAA${world.nextQueryId()}` };
};
