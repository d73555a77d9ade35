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
  /** The lines by their ids. */
  const known = new Map();
  /** The same in order. */
  let ordered = [];
  let keys = 0;
  let isChanged = false;

  const change =
    (work) =>
    (...args) =>
      batch(() => {
        work(...args);
        if (isChanged) lines.value = [...ordered];
        isChanged = false;
      });

  function add(line) {
    keys += 1;
    isChanged = true;
    const entry = { key: keys, line: signal(line) };
    known.set(line.id, entry);
    ordered.push(entry);
  }

  function clear() {
    replies.value = [];
    known.clear();
    ordered = [];
    isChanged = true;
  }

  /** Returns what it was. */
  function remove(id) {
    const entry = known.get(id);
    if (!known.delete(id)) return undefined;
    ordered = ordered.filter((each) => each !== entry);
    isChanged = true;
    return entry;
  }

  function grow(turnId) {
    let reply = replies.value.find((each) => each.turnId === turnId);
    if (reply === undefined) {
      reply = { turnId, text: signal(""), steps: createSteps(), missed: [] };
      replies.value = [...replies.value, reply];
    }
    return reply;
  }

  /** A reply that had begun before this page could see it. */
  function goOn({ turnId, text, doing, state, steps: { count } }) {
    const steps = createSteps(count);
    replies.value = [...replies.value, { turnId, text: signal(text), steps, missed: [] }];
    const label = state === "waiting" ? "waiting for an answer" : doing;
    if (label !== undefined) steps.add(label);
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

  function close({ id, closed, question }) {
    const line = known.get(id)?.line;
    if (line === undefined) return;
    const isOver = closed.choices.length === (line.value.choices ?? []).length;
    line.value = { ...line.value, closed, question: question ?? (isOver ? undefined : line.value.question) };
  }

  function receive(name, data) {
    if (name === "started") grow(data.turnId);
    else if (name === "delta") {
      const { text, steps, missed } = grow(data.turnId);
      if (!isAdded(text, data)) {
        missed.push(data);
        transcript.missing();
      }
      steps.pause();
    } else if (name === "status") grow(data.turnId).steps.add(data.label);
    else if (name === "closed") close(data);
    else if (name === "deleted") clear();
    else if (data.id === undefined) drop(data.turnId);
    else show(data, name === "failed");
  }

  const transcript = {
    lines,
    replies,
    wrote,
    receive: change(receive),
    /** The history, after a break. What was growing has ended meanwhile, or goes on. */
    showAll: change((history, running) => {
      replies.value = [];
      for (const line of history) show(line);
      if (running !== undefined) goOn(running);
    }),
    /** Called with how many lines are about to come before the first. */
    beforeOlder(_count) {},
    /** Lines from before the first. */
    showOlder: change((history) => {
      const later = ordered;
      ordered = [];
      for (const line of history) if (!known.has(line.id)) show(line);
      transcript.beforeOlder(ordered.length);
      ordered.push(...later);
    }),
    /** The person's own words, before the gateway has them. What the files hold can be read once the conversation has the line. */
    writing: change((id, markdown, files) => {
      add({ id, from: "person", markdown, at: new Date().toISOString(), unsent: files });
      wrote.value += 1;
    }),
    accepted: change((id, eventId) => {
      const own = remove(id);
      if (own === undefined || known.has(eventId)) return;
      own.line.value = { ...own.line.value, id: eventId };
      known.set(eventId, own);
      ordered.push(own);
    }),
    refused: change(remove),
    /** When the newest line that the gateway has was written. */
    newestAt: () => ordered.findLast(({ line: { value } }) => value.unsent === undefined)?.line.value.at,
    /** What the person wrote last, to write it again. */
    lastWords() {
      const own = ordered.findLast(({ line: { value } }) => value.from === "person" && value.did !== "press");
      return own?.line.value.markdown ?? "";
    },
    clear: change(clear),
    /** Called when words of a growing reply have not come here. */
    missing() {},
    /** What the gateway has of the reply that grows: words that have not come here, and then those that have. */
    fill: change((running) => {
      const reply = replies.value.find(({ turnId }) => turnId === running?.turnId);
      if (reply === undefined || running.text.length <= reply.text.value.length) return;
      reply.text.value = running.text;
      reply.missed = reply.missed.filter((data) => !isAdded(reply.text, data));
    }),
  };
  return transcript;
}

/** False: words before these are missing. */
function isAdded(text, { offset, text: words }) {
  if (offset > text.value.length) return false;
  text.value = text.value.slice(0, offset) + words;
  return true;
}
