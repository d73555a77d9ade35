import type { TalariaConfig } from "@talaria/config";
import type { ProcessRow } from "@talaria/store";
import { z } from "zod";

/** One MCP server as the console lists it. */
export interface ServerView {
  readonly name: string;
  /** `unknown`: no worker has said anything. */
  readonly state: string;
  readonly tools: number;
  /** Words of the server among them, cut and cleaned. */
  readonly problem?: string;
  /** Whether a person can log in to it from here now. */
  readonly canLogIn: boolean;
  /** The login that is open, or was made last. */
  readonly login?: Login;
}

type Login = z.infer<typeof loginSchema>;

const loginSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("beginning") }),
  z.object({ state: z.literal("trust"), origin: z.string() }),
  z.object({ state: z.literal("browser"), url: z.string() }),
  z.object({ state: z.literal("code"), url: z.string(), userCode: z.string() }),
  z.object({
    state: z.literal("done"),
    tools: z.number(),
    isInUse: z.literal(true).optional(),
    origins: z.array(z.string()).optional(),
  }),
  z.object({ state: z.literal("failed"), problem: z.string() }),
]);

const toldSchema = z.object({ logins: z.record(z.string(), loginSchema) });
const statusSchema = z.object({
  name: z.string(),
  state: z.string(),
  tools: z.number(),
  problem: z.string().optional(),
});

/** In the order of the configuration. Of what several workers say of a server, the one counts that has it least ready. */
export function serverViews(
  servers: TalariaConfig["mcp"]["servers"],
  living: readonly Pick<ProcessRow, "stats">[],
  told: unknown,
): readonly ServerView[] {
  const logins = toldSchema.safeParse(told).data?.logins;
  const said = living.flatMap(({ stats }) => z.array(statusSchema).safeParse(stats.mcp).data ?? []);
  return Object.entries(servers).map(([name, { oauth }]) => {
    const of = said.filter((status) => status.name === name);
    const status = of.find(({ state }) => state === "login" || state === "down") ?? of[0];
    const { state, tools, problem } = status ?? { state: "unknown", tools: 0, problem: undefined };
    const canLogIn = logins !== undefined && oauth !== undefined && oauth.grant !== "client_credentials";
    const login = logins !== undefined && Object.hasOwn(logins, name) ? logins[name] : undefined;
    return {
      ...{ name, state, tools, canLogIn },
      ...(problem === undefined ? {} : { problem }),
      ...(login === undefined ? {} : { login }),
    };
  });
}
