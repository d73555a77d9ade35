import { createChoices } from "./choices.js";
import { createDoneSteps } from "./done-steps.js";
import { renderGrowing, renderMarkdown } from "./markdown.js";
import { createShownFiles } from "./shown-files.js";
import { createSteps } from "./steps.js";

/** Who is this close to the end, in pixels, sees it move on. */
const nearEndPx = 60;

/**
 * Shows a conversation in a list: stored lines once each, and the replies that are still growing. `press(lineId, choiceId)`
 * resolves when the gateway has the press of a button, `read(ref)` with the content of a file, `readSteps(turnId)` with what a turn did.
 */
export function createTranscript(list, press, read, readSteps) {
  const view = list.parentElement;
  const lines = new Map();
  const growing = new Map();
  /** Closes the question of a line, by its id. */
  const closing = new Map();
  let drawing = false;

  /** Changes what is shown. Who reads further up is left there. */
  function change(work, follow = view.scrollHeight - view.scrollTop - view.clientHeight < nearEndPx) {
    work();
    if (follow) view.scrollTop = view.scrollHeight;
  }

  function named(name) {
    const item = document.createElement("div");
    item.textContent = name;
    return item;
  }

  function add(className) {
    const item = document.createElement("li");
    item.className = `line ${className}`;
    item.dir = "auto";
    list.append(item);
    return item;
  }

  function grow(turnId) {
    let reply = growing.get(turnId);
    if (reply === undefined) {
      const words = document.createElement("div");
      words.className = "words";
      reply = { item: add("agent growing"), words, text: "", steps: createSteps() };
      reply.item.replaceChildren(reply.steps.item, reply.words);
      growing.set(turnId, reply);
    }
    return reply;
  }

  function drop(turnId) {
    const reply = growing.get(turnId);
    reply?.item.remove();
    reply?.steps.end();
    growing.delete(turnId);
    return reply?.steps;
  }

  /** Draws growing replies once per frame, however many pieces came. */
  function draw() {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      change(() => {
        for (const { words, text } of growing.values()) words.replaceChildren(renderGrowing(text));
      });
    });
  }

  function show(line, failed = line.outcome === "failed") {
    const steps = line.turnId !== undefined && line.from === "agent" ? drop(line.turnId) : undefined;
    if (lines.has(line.id)) {
      if (line.closed !== undefined) closing.get(line.id)?.(line.closed);
      return;
    }
    const item = add(`${line.from}${failed ? " failed" : ""}`);
    item.title = new Date(line.at).toLocaleString();
    if (line.from === "person") item.replaceChildren(line.markdown, ...filesOf(line));
    else {
      const { items, close } = createChoices(line, press);
      item.replaceChildren(...doneSteps(line, steps), renderMarkdown(line.markdown), ...filesOf(line), ...items);
      if (items.length > 0) closing.set(line.id, close);
    }
    lines.set(line.id, item);
  }

  /** From the journal, which knows what came of each; else what was seen here. */
  function doneSteps({ turnId, steps }, seen) {
    if (steps !== undefined) return [createDoneSteps(steps, () => readSteps(turnId), seen?.ms)];
    return seen?.count > 0 ? [seen.item] : [];
  }

  function filesOf({ files = [] }) {
    return createShownFiles(files, read, () => change(() => {}));
  }

  function receive(name, data) {
    if (name === "started") grow(data.turnId);
    else if (name === "delta") {
      const reply = grow(data.turnId);
      if (data.offset <= reply.text.length) reply.text = reply.text.slice(0, data.offset) + data.text;
      reply.steps.pause();
      draw();
    } else if (name === "status") grow(data.turnId).steps.add(data.label);
    else if (name === "closed") closing.get(data.id)?.(data.closed);
    else if (data.id === undefined) drop(data.turnId);
    else show(data, name === "failed");
  }

  return {
    receive: (name, data) => change(() => receive(name, data)),
    /** The history, after a break. What was growing has ended meanwhile, or goes on. */
    showAll(history) {
      change(() => {
        for (const turnId of [...growing.keys()]) drop(turnId);
        for (const line of history) show(line);
      });
    },
    /** The person's own words, before the gateway has them. */
    writing(id, text, files) {
      change(() => {
        const item = add("person");
        // What they hold can be read once the conversation has the line.
        item.replaceChildren(text, ...files.map(({ name }) => named(name)));
        lines.set(id, item);
      }, true);
    },
    accepted(id, eventId) {
      const item = lines.get(id);
      lines.delete(id);
      if (lines.has(eventId)) item?.remove();
      else if (item !== undefined) lines.set(eventId, item);
    },
    refused(id) {
      lines.get(id)?.remove();
      lines.delete(id);
    },
    clear() {
      for (const turnId of [...growing.keys()]) drop(turnId);
      list.replaceChildren();
      lines.clear();
      closing.clear();
    },
  };
}
