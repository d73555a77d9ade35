const everyMs = 5_000;

/**
 * The list of accounts and their connections, and of what the agent has to act with, read again while it is open. `read()` resolves
 * with both. What they say is text, never markup; the picture of a QR code is shown as an image, which runs nothing.
 */
export function createConnections({ details, list, problem }, read) {
  let timer;

  async function look() {
    try {
      const { connections, workplaces = [], models = [] } = await read();
      const refusing = models.map(({ line }) => ({ works: false, line }));
      list.replaceChildren(...connections.map(toItem), ...[...refusing, ...workplaces].map(toWorkplace));
      problem.textContent = "";
    } catch (error) {
      problem.textContent = `Not read: ${error.message}`;
    }
  }

  details.addEventListener("toggle", () => {
    clearInterval(timer);
    if (!details.open) return;
    void look();
    timer = setInterval(() => void look(), everyMs);
  });
}

function toWorkplace({ works, line }) {
  const item = document.createElement("li");
  item.dataset.status = works ? "connected" : "needs-operator";
  item.textContent = line;
  return item;
}

function toItem({ accountId, platform, status, detail, link }) {
  const item = document.createElement("li");
  item.dataset.status = status;
  item.textContent = `${accountId} (${platform}): ${[status, detail].filter(Boolean).join(", ")}`;
  if (link?.method === "qr") {
    const image = document.createElement("img");
    image.alt = "QR code: scan it with the device to link";
    image.src = `data:image/svg+xml,${encodeURIComponent(link.svg)}`;
    item.append(image);
  } else if (link !== undefined) {
    const code = document.createElement("code");
    code.textContent = link.code;
    item.append(" Code: ", code);
  }
  return item;
}
