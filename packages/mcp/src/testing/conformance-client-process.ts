import { silentLog, systemClock } from "@talaria/protocol";
import { createMcp, type LoginRequest, type LoginStore, type McpServerConfig, plainSpawn } from "../index.ts";
import { callTool, reached } from "../mcp.fixture.ts";

/*
 * Our client as the MCP conformance suite runs one: the server's address is the last argument, the scenario and what it hands
 * out are in variables. Whoever logs in agrees to everything.
 */

const url = process.argv.at(-1) ?? "";
// biome-ignore lint/style/noProcessEnv: where the suite hands out what a scenario needs
const { MCP_CONFORMANCE_CONTEXT: given = "{}", MCP_CONFORMANCE_SCENARIO: scenario = "" } = process.env;
const { client_id, client_secret } = JSON.parse(given) as { client_id?: string; client_secret?: string };
const clientMetadataUrl = "https://conformance-test.local/client-metadata.json";

const config: McpServerConfig = {
  url,
  timeoutMs: 120_000,
  oauth: {
    redirectUrl: "http://127.0.0.1:7421/mcp/login",
    ...(scenario.startsWith("auth/client-credentials") ? { grant: "client_credentials" } : {}),
    ...(client_id === undefined ? {} : { clientId: client_id }),
    ...(client_secret === undefined ? {} : { clientSecret: client_secret }),
    ...(scenario === "auth/basic-cimd" ? { clientMetadataUrl } : {}),
  },
};

/** Of the whole scenario, where the machine is busy. */
const longestMs = 50_000;

const texts = new Map<string, string>();
const store: LoginStore = {
  load: async (_, issuer) => texts.get(issuer),
  save: async (_, issuer, secret) => void texts.set(issuer, secret),
  forget: async (_, issuer) => void texts.delete(issuer),
};
const mcp = createMcp(
  { servers: { suite: config } },
  {
    ...{ clock: systemClock, log: silentLog, random: () => 0, version: "0.1.0", fetch },
    spawn: plainSpawn(systemClock, {}),
    login: { store, ask: agree },
    // What is suggested goes first.
    askPerson: async (_, { choices: [first = ""] }) => ({ status: "answered", content: first }),
  },
);

async function agree(request: LoginRequest): Promise<void> {
  const answer = await fetch(request.url, { redirect: "manual" });
  const back = URL.parse(answer.headers.get("location") ?? "");
  // The connection keeps what belongs to this login once it has been shown.
  if (back !== null) setTimeout(() => void mcp.finishLogin("suite", back.searchParams).catch(giveUp), 50);
}

/** Ends with 1 where it can't: nothing on this machine is away for a moment only. */
async function ready(): Promise<void> {
  for (;;) {
    const [status] = mcp.status();
    const { state, problem = "" } = status ?? {};
    if (state === "ready") return;
    const isWidening = problem.includes("it wants the scope");
    if ((state === "down" && !isWidening) || (state === "login" && isWidening)) {
      giveUp(problem);
    }
    await systemClock.sleep(10);
  }
}

function giveUp(why: unknown): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

// The suite waits for whoever is still connected.
setTimeout(() => giveUp(JSON.stringify(mcp.status())), longestMs).unref();

mcp.start();
await ready();
for (const { name, nameThere } of mcp.tools()) {
  const call = () => callTool(mcp, name, nameThere === "add_numbers" ? { a: 5, b: 3 } : {});
  await call().catch(async (error: unknown) => {
    if (!String(error).includes("it wants the scope")) throw error;
    // The wider login begins by itself, once this connection is over.
    await reached(mcp, "login");
    await ready();
    await call();
  });
}
await mcp.stop();
