import { html } from "../html.js";
import { useLooks } from "../use-looks.js";

const everyMs = 5_000;

/** The accounts and their connections, and what the agent has to act with, read again while it is open. `read()` resolves with both. */
export function Connections({ read }) {
  const { answer = {}, problem, toggled } = useLooks(read, everyMs);
  const { connections = [], workplaces = [], models = [] } = answer;
  const refusing = models.map(({ line }) => ({ works: false, line }));
  return html`
    <details id="connections" onToggle=${toggled}>
      <summary>Connections</summary>
      <ul aria-label="Connections">
        ${connections.map((connection) => html`<${Connection} key=${connection.accountId} ...${connection} />`)}
        ${[...refusing, ...workplaces].map(
          ({ works, line }) => html`<li key=${line} data-status=${works ? "connected" : "needs-operator"}>${line}</li>`,
        )}
      </ul>
      <p class="problem" role="alert">${problem}</p>
    </details>
  `;
}

/** What a connection says is text; the picture of a QR code is shown as an image, which runs nothing. */
function Connection({ accountId, platform, status, detail, link }) {
  return html`
    <li data-status=${status}>
      ${`${accountId} (${platform}): ${[status, detail].filter(Boolean).join(", ")}`}
      ${
        link?.method === "qr" &&
        html`<img
          alt="QR code: scan it with the device to link"
          src=${`data:image/svg+xml,${encodeURIComponent(link.svg)}`}
        />`
      }
      ${link !== undefined && link.method !== "qr" && html` Code: <code>${link.code}</code>`}
    </li>
  `;
}
