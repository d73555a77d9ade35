import { batch, computed, signal } from "@preact/signals";
import { createApi, NotAllowedError, readCommands } from "./api.js";
import { createChosenFiles } from "./chosen-files.js";
import { createConversations } from "./conversations.js";
import { followConversation, followElsewhere } from "./follow-conversation.js";
import { newId } from "./new-id.js";
import { keepToken, replaceToken, takeToken } from "./token.js";
import { createTranscript } from "./transcript.js";
import { createTrouble } from "./trouble.js";

/** How often the gateway stores what has grown. */
const fillMs = 1_000;

/**
 * What the page knows, as signals, and what it does: it follows the conversation that the address names, and `calls` asks the gateway on its
 * behalf. `begin()` reads address and token anew. `token` is undefined, or why one is asked for.
 */
export function createPage() {
  const shown = signal({ id: "main" });
  const conversation = computed(() => shown.value.id);
  const isElsewhere = computed(() => shown.value.key !== undefined);
  const connection = signal("connecting");
  const token = signal(undefined);
  /** Those that `/` lists: `{ name, text }`. */
  const commands = signal([]);
  const limits = signal({ most: 0, maxBytes: 0 });
  const transcript = createTranscript();
  let api;
  let reading = new AbortController();
  /** Where the page of history before the first line begins; null: there is none. */
  let before;
  let isAsking = false;
  let filling;
  /** The newest line that the gateway knows to be seen. */
  let marked;

  const withApi =
    (work) =>
    async (...args) => {
      if (api === undefined) throw new Error("no token yet");
      return await work(api, ...args);
    };
  const here = (name) => withApi((known, ...args) => known[name](conversation.value, ...args));
  const anywhere = (name) => withApi((known, ...args) => known[name](...args));
  const shownHere = (name) => withApi((known, ...args) => known[name](shown.value, ...args));
  const command = (words) => withApi((known) => known.post(conversation.value, words, [], newId()));
  /** What can be done with the lines of another platform. */
  const looking = { file: shownHere("file"), steps: shownHere("steps") };
  const calls = {
    ...looking,
    post: here("post"),
    press: here("press"),
    stop: command("/stop"),
    retry: here("retry"),
    upload: here("upload"),
    connections: anywhere("connections"),
    conversations: anywhere("conversations"),
    rename: anywhere("rename"),
    remove: anywhere("remove"),
    servers: anywhere("servers"),
    beginLogin: anywhere("beginLogin"),
    trustOrigin: anywhere("trustOrigin"),
  };

  function begin() {
    reading.abort();
    reading = new AbortController();
    before = undefined;
    batch(() => {
      transcript.clear();
      shown.value = shownBy(location.hash);
    });
    const known = takeToken();
    if (known === undefined) return askForToken("");
    token.value = undefined;
    api = createApi(known);
    void readCommands().then((read) => {
      commands.value = read;
    });
    void follow(shown.value, reading.signal);
  }

  /** Asks for what a growing reply has, and not more often than it is stored. */
  transcript.missing = () => {
    if (filling !== undefined) return;
    filling = setTimeout(async () => {
      const { signal: aborted } = reading;
      try {
        const { running } = await api.history(shown.value, aborted);
        if (!aborted.aborted) transcript.fill(running);
      } catch {
        // The next words ask again.
      }
      filling = undefined;
    }, fillMs);
  };

  /** Brings earlier lines, one page at a time, until there are none. */
  async function older() {
    if (isAsking || before === null || before === undefined) return;
    const { signal: aborted } = reading;
    isAsking = true;
    try {
      const { messages, next } = await api.history(shown.value, aborted, before);
      if (aborted.aborted) return;
      before = next ?? null;
      transcript.showOlder(messages);
    } catch {
      // The next scroll asks again.
    } finally {
      isAsking = false;
    }
  }

  function askForToken(problem) {
    connection.value = "no token";
    token.value = problem;
  }

  /** Ends when the gateway refuses the token, or another conversation is shown. */
  async function follow(place, aborted) {
    const state = {
      opened: ({ messages, files, next, running }) =>
        batch(() => {
          before ??= next ?? null;
          if (files !== undefined) limits.value = files;
          transcript.showAll(messages, running);
          connection.value = "connected";
        }),
      event(name, data) {
        if (name === "changed") conversations.changed(data);
        else transcript.receive(name, data);
      },
      broken() {
        connection.value = "connection lost, trying again";
      },
    };
    try {
      await (place.key === undefined ? followConversation : followElsewhere)(api, place, state, aborted);
    } catch (error) {
      if (aborted.aborted || !(error instanceof NotAllowedError)) return;
      if (replaceToken()) begin();
      else askForToken("The gateway does not know the token: it may have been replaced since.");
    }
  }

  const conversations = createConversations(calls);

  /** Tells the gateway which lines were seen. A page that nobody looks at has shown nothing. */
  async function markRead() {
    const { id } = shown.value;
    const newest = transcript.newestAt();
    if (id === undefined || newest === undefined || newest === marked || document.visibilityState !== "visible") return;
    try {
      await anywhere("markRead")(id, newest);
      marked = newest;
    } catch {
      // The next line tries again.
    }
  }

  return {
    shown,
    conversation,
    isElsewhere,
    conversations,
    markRead,
    isShown: ({ id, key }) => (id === undefined ? key === shown.value.key : id === shown.value.id),
    connection,
    commands,
    token,
    transcript,
    calls,
    /** What can be done with the lines that are shown. */
    get lineCalls() {
      return isElsewhere.value ? looking : calls;
    },
    ...createTrouble(calls.connections),
    chosen: createChosenFiles(limits, calls.upload),
    begin,
    older,
    /** The conversation is part of the address, so that a reload shows it again. */
    show(id = newId()) {
      location.hash = `conversation=${id}`;
    },
    signIn(given) {
      keepToken(given);
      begin();
    },
  };
}

/** What the address names: a conversation of the console's own by its id, or one of another platform by its key. */
function shownBy(hash) {
  const parameters = new URLSearchParams(hash.slice(1));
  const key = parameters.get("elsewhere");
  return key === null ? { id: parameters.get("conversation") ?? "main" } : { key };
}
