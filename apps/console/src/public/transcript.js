import { batch, signal } from "@preact/signals";
import { createSteps } from "./steps.js";

/**
 * A conversation as signals: `lines` are the stored ones, once each and in order, and `replies` those that still grow. A line is
 * `{ key, line }`, its `line` a signal of what the gateway says of it; a reply is `{ turnId, text, steps }`. `wrote` counts the person's
 * own words.
 */
export function createTranscript() {
  const lines = signal([]);
  const replies = signal([]);
  const wrote = signal(0);
  /** The lines by their ids, in order. */
  const known = new Map();
  let keys = 0;
  let isChanged = false;

  const change =
    (work) =>
    (...args) =>
      batch(() => {
        work(...args);
        if (isChanged) lines.value = [...known.values()];
        isChanged = false;
      });

  function add(line) {
    keys += 1;
    isChanged = true;
    known.set(line.id, { key: keys, line: signal(line) });
  }

  function remove(id) {
    isChanged = known.delete(id) || isChanged;
  }

  function grow(turnId) {
    let reply = replies.value.find((each) => each.turnId === turnId);
    if (reply === undefined) {
      reply = { turnId, text: signal(""), steps: createSteps() };
      replies.value = [...replies.value, reply];
    }
    return reply;
  }

  /** The reply is over. Returns what was seen of its steps. */
  function drop(turnId) {
    const reply = replies.value.find((each) => each.turnId === turnId);
    reply?.steps.pause();
    if (reply !== undefined) replies.value = replies.value.filter((each) => each !== reply);
    return reply?.steps;
  }

  function show(line, isFailed = line.outcome === "failed") {
    const seen = line.turnId !== undefined && line.from === "agent" ? drop(line.turnId) : undefined;
    if (!known.has(line.id)) add({ ...line, isFailed, seen });
    else if (line.closed !== undefined) close(line);
  }

  function close({ id, closed }) {
    const line = known.get(id)?.line;
    if (line !== undefined) line.value = { ...line.value, closed };
  }

  function receive(name, data) {
    if (name === "started") grow(data.turnId);
    else if (name === "delta") {
      const { text, steps } = grow(data.turnId);
      if (data.offset <= text.value.length) text.value = text.value.slice(0, data.offset) + data.text;
      steps.pause();
    } else if (name === "status") grow(data.turnId).steps.add(data.label);
    else if (name === "closed") close(data);
    else if (data.id === undefined) drop(data.turnId);
    else show(data, name === "failed");
  }

  return {
    lines,
    replies,
    wrote,
    receive: change(receive),
    /** The history, after a break. What was growing has ended meanwhile, or goes on. */
    showAll: change((history) => {
      replies.value = [];
      for (const line of history) show(line);
    }),
    /** The person's own words, before the gateway has them. What the files hold can be read once the conversation has the line. */
    writing: change((id, markdown, files) => {
      add({ id, from: "person", markdown, at: new Date().toISOString(), unsent: files });
      wrote.value += 1;
    }),
    accepted: change((id, eventId) => {
      const own = known.get(id);
      remove(id);
      if (own === undefined || known.has(eventId)) return;
      own.line.value = { ...own.line.value, id: eventId };
      known.set(eventId, own);
    }),
    refused: change(remove),
    /** What the person wrote last, to write it again. */
    lastWords() {
      const own = [...known.values()].findLast(
        ({ line: { value } }) => value.from === "person" && value.did !== "press",
      );
      return own?.line.value.markdown ?? "";
    },
    clear: change(() => {
      replies.value = [];
      known.clear();
      isChanged = true;
    }),
  };
}
