const everyMs = 3_000;

const stateWords = {
  ready: (tools) => `connected, ${tools} tools`,
  login: () => "needs a login",
  down: () => "not connected",
  connecting: () => "connecting",
  unused: () => "not connected yet, nobody has needed it",
  stopped: () => "stopped",
  unknown: () => "no worker has said anything yet",
};

/**
 * The list of MCP servers and of logins to them, read again while it is open. `calls` has `servers`, `beginLogin` and `trustOrigin`.
 * What servers say is text, never markup; an address is a link only where it begins with http.
 */
export function createServers({ details, list, problem }, calls) {
  let timer;
  let shown = "";

  async function look() {
    try {
      const { servers } = await calls.servers();
      const now = JSON.stringify(servers);
      // A button keeps the focus while nothing changes.
      if (now !== shown) list.replaceChildren(...servers.map((server) => toItem(server, act)));
      shown = now;
      if (servers.length === 0) list.textContent = "None is configured: see mcp.servers.";
      problem.textContent = "";
    } catch (error) {
      problem.textContent = `Not read: ${error.message}`;
    }
  }

  const act = {
    begin: (name, isAnew) => attempt(() => calls.beginLogin(name, isAnew)),
    trust: (name, origin, trusts) => attempt(() => calls.trustOrigin(name, origin, trusts)),
  };

  async function attempt(work) {
    try {
      await work();
      await look();
    } catch (error) {
      problem.textContent = `Not done: ${error.message}`;
    }
  }

  details.addEventListener("toggle", () => {
    clearInterval(timer);
    if (!details.open) return;
    void look();
    timer = setInterval(() => void look(), everyMs);
  });
}

function toItem({ name, state, tools, problem, canLogIn, login }, act) {
  const item = document.createElement("li");
  item.dataset.status = state === "ready" ? "connected" : "needs-operator";
  const text = stateWords[state]?.(tools) ?? state;
  item.append(`${name}: ${[text, problem].filter(Boolean).join(", ")} `);
  if (login !== undefined) item.append(...loginParts(name, login, act));
  const isOpen = ["beginning", "trust"].includes(login?.state);
  const isAnew = state === "ready";
  const words = isAnew ? "Log in anew" : "Log in";
  if (canLogIn && !isOpen) item.append(button(words, `${words} to ${name}`, () => act.begin(name, isAnew)));
  return item;
}

function loginParts(name, login, act) {
  switch (login.state) {
    case "beginning":
      return [paragraph("The login begins.")];
    case "trust":
      return [
        paragraph(`The login goes to ${login.origin}, which is not configured. Trust this origin for logins?`),
        button("Trust it", `Trust ${login.origin}`, () => act.trust(name, login.origin, true)),
        button("Don't", `Don't trust ${login.origin}`, () => act.trust(name, login.origin, false)),
      ];
    case "browser":
      return [link(login.url, `Go to the login of ${name}`)];
    case "code": {
      const code = document.createElement("code");
      code.textContent = login.userCode;
      return [link(login.url, `Go to the login of ${name}`), " and enter the code ", code, " "];
    }
    case "done":
      return [paragraph(doneWords(name, login))];
    case "failed":
      return [paragraph(`The last login failed: ${login.problem}`)];
    default:
      return [];
  }
}

function doneWords(name, { tools, isInUse, origins }) {
  const done = isInUse
    ? `No login was needed: the server lets us in as before, ${tools} tools.`
    : `Logged in, ${tools} tools. Workers notice it within a minute.`;
  if (origins === undefined) return done;
  return `${done} For them to renew the login, configure mcp.servers.${name}.oauth.origins: ${JSON.stringify(origins)}`;
}

function paragraph(text) {
  const element = document.createElement("p");
  element.textContent = text;
  return element;
}

function button(text, label, act) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  element.setAttribute("aria-label", label);
  element.addEventListener("click", () => {
    element.disabled = true;
    void act().finally(() => {
      element.disabled = false;
    });
  });
  return element;
}

function link(address, text) {
  const scheme = URL.parse(address)?.protocol.slice(0, -1);
  if (scheme !== "https" && scheme !== "http") return paragraph("The server named an address that is no page.");
  const element = document.createElement("a");
  element.href = address;
  element.target = "_blank";
  element.rel = "noopener noreferrer";
  element.textContent = text;
  return element;
}
