import { useState } from "preact/hooks";
import { html } from "../html.js";
import { useLooks } from "../use-looks.js";

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
 * The MCP servers and logins to them, read again while it is open. `calls` has `servers`, `beginLogin` and `trustOrigin`. What servers say is
 * text; an address is a link only where it begins with http.
 */
export function Servers({ calls }) {
  const { answer, problem, toggled, look } = useLooks(calls.servers, everyMs);
  const [undone, setUndone] = useState("");

  async function attempt(work) {
    try {
      await work();
      setUndone("");
      await look();
    } catch (error) {
      setUndone(`Not done: ${error.message}`);
    }
  }

  const act = {
    begin: (name, isAnew) => attempt(() => calls.beginLogin(name, isAnew)),
    trust: (name, origin, trusts) => attempt(() => calls.trustOrigin(name, origin, trusts)),
  };
  return html`
    <details id="servers" onToggle=${toggled}>
      <summary>MCP servers</summary>
      <ul aria-label="MCP servers">
        ${answer?.servers.map((server) => html`<${Server} key=${server.name} server=${server} act=${act} />`)}
      </ul>
      ${answer?.servers.length === 0 && html`<p>None is configured: see mcp.servers.</p>`}
      <p class="problem" role="alert">${undone || problem}</p>
    </details>
  `;
}

function Server({ server: { name, state, tools, problem, canLogIn, login }, act }) {
  const text = stateWords[state]?.(tools) ?? state;
  const isOpen = ["beginning", "trust"].includes(login?.state);
  const isAnew = state === "ready";
  const words = isAnew ? "Log in anew" : "Log in";
  return html`
    <li data-status=${state === "ready" ? "connected" : "needs-operator"}>
      ${`${name}: ${[text, problem].filter(Boolean).join(", ")} `}
      ${login !== undefined && html`<${Login} name=${name} login=${login} act=${act} />`}
      ${canLogIn && !isOpen && html`<${Button} label=${`${words} to ${name}`} act=${() => act.begin(name, isAnew)}>${words}<//>`}
    </li>
  `;
}

function Login({ name, login, act }) {
  switch (login.state) {
    case "beginning":
      return html`<p>The login begins.</p>`;
    case "trust": {
      const trust = (trusts) => () => act.trust(name, login.origin, trusts);
      return html`
        <p>${`The login goes to ${login.origin}, which is not configured. Trust this origin for logins?`}</p>
        <${Button} label=${`Trust ${login.origin}`} act=${trust(true)}>Trust it<//>
        <${Button} label=${`Don't trust ${login.origin}`} act=${trust(false)}>Don't<//>
      `;
    }
    case "browser":
      return html`<${LoginLink} address=${login.url} name=${name} />`;
    case "code":
      return html`<${LoginLink} address=${login.url} name=${name} /> and enter the code <code>${login.userCode}</code>${" "}`;
    case "done":
      return html`<p>${doneWords(name, login)}</p>`;
    case "failed":
      return html`<p>${`The last login failed: ${login.problem}`}</p>`;
    default:
      return undefined;
  }
}

function doneWords(name, { tools, isInUse, origins }) {
  const done = isInUse
    ? `No login was needed: the server lets us in as before, ${tools} tools.`
    : `Logged in, ${tools} tools. Workers notice it within a minute.`;
  if (origins === undefined) return done;
  return `${done} For them to renew the login, configure mcp.servers.${name}.oauth.origins: ${JSON.stringify(origins)}`;
}

function Button({ label, act, children }) {
  const [isBusy, setBusy] = useState(false);
  const press = () => {
    setBusy(true);
    void act().finally(() => setBusy(false));
  };
  return html`<button type="button" aria-label=${label} disabled=${isBusy} onClick=${press}>${children}</button>`;
}

function LoginLink({ address, name }) {
  const scheme = URL.parse(address)?.protocol.slice(0, -1);
  if (scheme !== "https" && scheme !== "http") return html`<p>The server named an address that is no page.</p>`;
  return html`<a href=${address} target="_blank" rel="noopener noreferrer">${`Go to the login of ${name}`}</a>`;
}
