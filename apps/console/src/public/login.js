import { createApi, NotAllowedError } from "./api.js";
import { takeToken } from "./token.js";

/*
 * Where a login to an MCP server sends the browser back to. The gateway takes its answer only together with the console's token:
 * nobody else's browser can end a login.
 */
const outcome = document.getElementById("outcome");
const parameters = location.search.slice(1);
// The code in it works once; all the same it stays in no history.
history.replaceState(null, "", location.pathname);

async function finish() {
  const token = takeToken();
  if (token === undefined) return "Not finished: open the console in this browser first, and begin the login there.";
  try {
    const { server } = await createApi(token).finishLogin(parameters);
    return `Logged in to ${server}. You can close this page.`;
  } catch (error) {
    if (error instanceof NotAllowedError) return "Not finished: the gateway does not know this browser's token.";
    return `Not finished: ${error.message}`;
  }
}

outcome.textContent = await finish();
