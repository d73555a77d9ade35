import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { House, type HouseOptions } from "../support/house.ts";
import type { Collector } from "./collector.ts";
import { type DeskServer, type DeskTool, startDeskServer } from "./desk-server.ts";
import { accounts } from "./stage.ts";

export interface PostureOptions extends Pick<HouseOptions, "contextTokens" | "main" | "models" | "workers"> {
  readonly respond: Parameters<typeof House.start>[0]["respond"];
  readonly collector: Collector;
  /** Further YAML. */
  readonly config?: string;
  /** Hosts that commands may reach, as YAML flow text. */
  readonly network?: string;
  readonly tools?: readonly DeskTool[];
  /** What the operator says of the desk's server besides, as YAML. */
  readonly deskRules?: string;
  /** The operator has named it in `policy.trusted`. Not with a `config` that says something of the policy. */
  readonly isDeskTrusted?: boolean;
  /** False: the desk's server is there, but not in the configuration. */
  readonly hasDesk?: boolean;
}

/** Whether commands run here at all. */
export const hasSandbox = skipWithoutPeers(process.env.CI) === false;

/** A house whose operator has chosen these settings, with the desk's server, which the first turn connects. */
export async function startPosture(options: PostureOptions) {
  const {
    respond,
    collector,
    config = "",
    network,
    tools,
    hasDesk = true,
    deskRules,
    isDeskTrusted,
    ...others
  } = options;
  await using closing = new AsyncDisposableStack();
  const desk: DeskServer = closing.use(await startDeskServer(tools));
  const about = [`url: "${desk.url}"`, "reads: [look]", ...(deskRules === undefined ? [] : [deskRules])].join(", ");
  const mcp = hasDesk ? [`mcp: { servers: { desk: { ${about} } } }`] : [];
  const trust = isDeskTrusted === true ? [`policy: { trusted: ["${desk.url}"] }`] : [];
  const house = closing.use(
    await House.start({
      ...others,
      accounts,
      respond,
      fetch: collector.fetch,
      sandbox: hasSandbox ? `backend: sandbox${network === undefined ? "" : `, network: ${network}`}` : "backend: off",
      config: [...mcp, ...trust, config].join("\n"),
    }),
  );
  const all = closing.move();
  return { house, desk, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
