import { createApi, NotAllowedError } from "./api.js";
import { createChosenFiles } from "./chosen-files.js";
import { createComposer } from "./composer.js";
import { createConnections } from "./connections.js";
import { newId } from "./new-id.js";
import { createServers } from "./servers.js";
import { keepToken, replaceToken, takeToken } from "./token.js";
import { createTranscript } from "./transcript.js";

const element = (id) => document.getElementById(id);
const transcript = createTranscript(
  element("lines"),
  async (lineId, choiceId) => {
    if (api === undefined) throw new Error("no token yet");
    await api.press(conversation(), lineId, choiceId, newId());
  },
  async (ref) => {
    if (api === undefined) throw new Error("no token yet");
    return await api.file(conversation(), ref);
  },
  async (turnId) => {
    if (api === undefined) throw new Error("no token yet");
    return await api.steps(conversation(), turnId);
  },
);
const firstPauseMs = 500;
const longestPauseMs = 15_000;

let api;
let limits = { most: 0, maxBytes: 0 };
let reading = new AbortController();

const chosen = createChosenFiles(
  {
    button: element("attach"),
    input: element("files"),
    list: element("chosen"),
    target: document.body,
    problem: element("problem"),
  },
  () => limits,
  async (file, progress) => {
    if (api === undefined) throw new Error("no token yet");
    return await api.upload(conversation(), file, progress);
  },
);

createComposer(
  { form: element("composer"), field: element("text"), problem: element("problem") },
  chosen,
  transcript,
  async (text, files, id) => {
    if (api === undefined) throw new Error("no token yet");
    return (await api.post(conversation(), text, files, id)).eventId;
  },
);

createConnections(
  { details: element("connections"), list: element("connection-list"), problem: element("connections-problem") },
  async () => {
    if (api === undefined) throw new Error("no token yet");
    return await api.connections();
  },
);

const withApi =
  (work) =>
  async (...args) => {
    if (api === undefined) throw new Error("no token yet");
    return await work(api, ...args);
  };

createServers(
  { details: element("servers"), list: element("server-list"), problem: element("servers-problem") },
  {
    servers: withApi((known) => known.servers()),
    beginLogin: withApi((known, server, isAnew) => known.beginLogin(server, isAnew)),
    trustOrigin: withApi((known, server, origin, trusts) => known.trustOrigin(server, origin, trusts)),
  },
);

element("new-conversation").addEventListener("click", () => {
  location.hash = `conversation=${newId()}`;
  element("text").focus();
});

// Also when somebody goes back, or pastes an address with a token.
addEventListener("hashchange", () => begin());

element("sign-in").addEventListener("close", () => {
  keepToken(element("token").value.trim());
  element("token").value = "";
  begin();
});

/** The conversation is part of the address, so that a reload shows it again. */
function conversation() {
  return new URLSearchParams(location.hash.slice(1)).get("conversation") ?? "main";
}

function begin() {
  reading.abort();
  reading = new AbortController();
  transcript.clear();
  const token = takeToken();
  if (token === undefined) return askForToken("");
  api = createApi(token);
  void follow(conversation(), reading.signal);
}

function askForToken(problem) {
  element("connection").textContent = "no token";
  element("token-problem").textContent = problem;
  const dialog = element("sign-in");
  if (!dialog.open) dialog.showModal();
}

/** Reads the stream, and after each break the history and the stream again. */
async function follow(id, signal) {
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      await api.stream(id, signal, {
        open: async () => {
          const { messages, files } = await api.history(id, signal);
          limits = files;
          transcript.showAll(messages);
          element("connection").textContent = "connected";
          pauseMs = firstPauseMs;
        },
        event: (name, data) => transcript.receive(name, data),
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof NotAllowedError) {
        if (replaceToken()) return begin();
        return askForToken("The gateway does not know the token.");
      }
    }
    if (signal.aborted) return;
    element("connection").textContent = "connection lost, trying again";
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

begin();
