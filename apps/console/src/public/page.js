import { batch, signal } from "@preact/signals";
import { createApi, NotAllowedError, readCommands } from "./api.js";
import { createChosenFiles } from "./chosen-files.js";
import { followConversation } from "./follow-conversation.js";
import { newId } from "./new-id.js";
import { keepToken, replaceToken, takeToken } from "./token.js";
import { createTranscript } from "./transcript.js";

/**
 * What the page knows, as signals, and what it does: it follows the conversation that the address names, and `calls` asks the gateway on its
 * behalf. `begin()` reads address and token anew. `token` is undefined, or why one is asked for.
 */
export function createPage() {
  const conversation = signal("main");
  const connection = signal("connecting");
  const token = signal(undefined);
  /** Those that `/` lists: `{ name, text }`. */
  const commands = signal([]);
  const limits = signal({ most: 0, maxBytes: 0 });
  const transcript = createTranscript();
  let api;
  let reading = new AbortController();

  const withApi =
    (work) =>
    async (...args) => {
      if (api === undefined) throw new Error("no token yet");
      return await work(api, ...args);
    };
  const here = (name) => withApi((known, ...args) => known[name](conversation.value, ...args));
  const anywhere = (name) => withApi((known, ...args) => known[name](...args));
  const command = (words) => withApi((known) => known.post(conversation.value, words, [], newId()));
  const calls = {
    post: here("post"),
    press: here("press"),
    stop: command("/stop"),
    retry: command("/retry"),
    upload: here("upload"),
    file: here("file"),
    steps: here("steps"),
    connections: anywhere("connections"),
    servers: anywhere("servers"),
    beginLogin: anywhere("beginLogin"),
    trustOrigin: anywhere("trustOrigin"),
  };

  function begin() {
    reading.abort();
    reading = new AbortController();
    batch(() => {
      transcript.clear();
      conversation.value = new URLSearchParams(location.hash.slice(1)).get("conversation") ?? "main";
    });
    const known = takeToken();
    if (known === undefined) return askForToken("");
    token.value = undefined;
    api = createApi(known);
    void readCommands().then((read) => {
      commands.value = read;
    });
    void follow(conversation.value, reading.signal);
  }

  function askForToken(problem) {
    connection.value = "no token";
    token.value = problem;
  }

  /** Ends when the gateway refuses the token, or another conversation is shown. */
  async function follow(id, aborted) {
    const state = {
      opened: ({ messages, files }) =>
        batch(() => {
          limits.value = files;
          transcript.showAll(messages);
          connection.value = "connected";
        }),
      event: transcript.receive,
      broken() {
        connection.value = "connection lost, trying again";
      },
    };
    try {
      await followConversation(api, id, state, aborted);
    } catch (error) {
      if (aborted.aborted || !(error instanceof NotAllowedError)) return;
      if (replaceToken()) begin();
      else askForToken("The gateway does not know the token.");
    }
  }

  return {
    conversation,
    connection,
    commands,
    token,
    transcript,
    calls,
    chosen: createChosenFiles(limits, calls.upload),
    begin,
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
