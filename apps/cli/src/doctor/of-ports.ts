import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import type { TalariaConfig } from "@talaria/config";
import { runningGatewayUrl } from "../gateway-url.ts";
import type { Home } from "../home.ts";
import type { Finding } from "./finding.ts";

const answerMs = 5_000;
const check = "ports";

/** Whether the gateway listens where the configuration says, and answers to the names that people use; without one, whether its port is free. */
export async function ofPorts(
  config: Pick<TalariaConfig, "gateway">,
  home: Pick<Home, "gatewayUrlFile">,
  isServed: boolean,
): Promise<readonly Finding[]> {
  const { host, port } = config.gateway;
  if (!isServed && port === 0) return [{ check, state: "ok", line: "the system chooses the port at the start" }];
  if (!isServed && (await isFree(host, port))) return [{ check, state: "ok", line: `port ${port} on ${host} is free` }];
  const url = await runningGatewayUrl(config, home);
  const own = await statusAt(url, undefined);
  if (!isServed && own !== 200 && own !== 503) {
    const line = `port ${port} on ${host} is taken by another program, such as the installation that this one is a copy of: stop it, or set gateway.port`;
    return [{ check, state: "problem", line, remedy: `ss -ltnp 'sport = :${port}'` }];
  }
  if (own === undefined)
    return [
      {
        check,
        state: "problem",
        line: `no gateway answers at ${url}; the log says why`,
        remedy: "talaria logs --level warn",
      },
    ];
  const names = await Promise.all(namesOf(config).map((name) => ofName(url, name)));
  return [{ check, state: "ok", line: `the gateway listens at ${url}` }, ...names];
}

function namesOf({ gateway: { publicUrl, allowedHosts } }: Pick<TalariaConfig, "gateway">): readonly string[] {
  const named = publicUrl === undefined ? [] : [new URL(publicUrl).host];
  return [...new Set([...named, ...allowedHosts])];
}

/** A running gateway may have other settings than the file says now. */
async function ofName(url: string, name: string): Promise<Finding> {
  const status = await statusAt(url, name);
  if (status !== undefined && status !== 403) return { check, state: "ok", line: `the gateway answers to ${name}` };
  const line = `the gateway answers ${status ?? "nothing"} to the name ${name}; it may run with former settings`;
  return { check, state: "problem", line, remedy: "talaria restart" };
}

/** What `/readyz` answers under this name: 403 where the name isn't the gateway's. Undefined: nothing. */
async function statusAt(url: string, host: string | undefined): Promise<number | undefined> {
  const signal = AbortSignal.timeout(answerMs);
  const asked = request(`${url}/readyz`, { signal, ...(host === undefined ? {} : { headers: { host } }) });
  asked.end();
  try {
    const [response] = await once(asked, "response");
    response.resume();
    return response.statusCode;
  } catch {
    return undefined;
  }
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
