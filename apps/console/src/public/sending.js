import { newId } from "./new-id.js";

/**
 * Posts messages with the files that are chosen. What could not be sent keeps its id when it is sent again: it counts once, even if only the
 * answer was lost.
 */
export function createSending({ calls, chosen, transcript }) {
  let unsent;
  let isUploading = false;

  /** Undefined: one could not be sent. */
  async function uploaded() {
    isUploading = true;
    try {
      return { files: await chosen.uploaded() };
    } catch (error) {
      return { problem: `Not sent: ${error.message}` };
    } finally {
      isUploading = false;
    }
  }

  return {
    /**
     * Sends what stands in the field, and empties it once the text stands in the conversation; `emptied()` is called then. Resolves with the `problem`, if there is
     * one, and the `text` if it is to stand in the field again.
     */
    async send(field, emptied) {
      if ((field.value.trim() === "" && chosen.list.value.length === 0) || isUploading) return undefined;
      const { files, problem } = await uploaded();
      if (problem !== undefined) return { problem };
      const text = field.value.trim();
      const said = JSON.stringify([text, files]);
      const id = unsent?.said === said ? unsent.id : newId();
      unsent = undefined;
      field.value = "";
      emptied();
      transcript.writing(id, text, files);
      try {
        const { eventId } = await calls.post(text, files, id);
        transcript.accepted(id, eventId);
        chosen.sent(files);
        return undefined;
      } catch (error) {
        transcript.refused(id);
        unsent = { said, id };
        return { text, problem: `Not sent: ${error.message}` };
      }
    },
  };
}
