import { batch, signal } from "@preact/signals";

/**
 * The list of conversations, newest first, as signals: `list` as the gateway has it, `next` while there are more, `isPartial` when a search
 * was cut short, `problem` why it could not be read. `query` and `isAll` say what is listed; `look()` reads it anew. `changes` counts what the
 * gateway has told of it by `changed(news)`.
 */
export function createConversations(calls) {
  const list = signal([]);
  const next = signal(undefined);
  const isPartial = signal(false);
  const problem = signal("");
  const query = signal("");
  const isAll = signal(false);
  const changes = signal(0);
  let asked = 0;

  async function read(before) {
    asked += 1;
    const own = asked;
    const filter = { query: query.value.trim(), platform: isAll.value ? "all" : "web", before };
    try {
      const answer = await calls.conversations(filter);
      if (own === asked) return answer;
    } catch (error) {
      if (own === asked) problem.value = `Not read: ${error.message}`;
    }
    return undefined;
  }

  async function look() {
    const answer = await read();
    if (answer === undefined) return;
    batch(() => {
      const isLonger =
        list.value.length > answer.conversations.length && answer.next !== undefined && next.value !== undefined;
      list.value = isLonger ? withRest(answer.conversations, list.value) : answer.conversations;
      if (!isLonger) next.value = answer.next;
      isPartial.value = answer.isPartial === true;
      problem.value = "";
    });
  }

  return {
    list,
    next,
    isPartial,
    problem,
    query,
    isAll,
    changes,
    changed({ elsewhere = false }) {
      if (isAll.value || !elsewhere) changes.value += 1;
    },
    look,
    /** Lists something else from now on. */
    choose(change) {
      batch(() => {
        change();
        next.value = undefined;
      });
      return look();
    },
    async more() {
      const answer = await read(next.value);
      if (answer === undefined) return;
      batch(() => {
        list.value = withRest(list.value, answer.conversations);
        next.value = answer.next;
      });
    },
  };
}

/** The first ones, and of the others those that are not among them. */
function withRest(first, others) {
  const known = new Set(first.map(({ key }) => key));
  return [...first, ...others.filter(({ key }) => !known.has(key))];
}
