import { proxyVariables } from "../proxy.ts";

/**
 * What tells programs of their proxy, and what keeps them from trying again where it refuses: pip would for eight seconds and npm for
 * two minutes. `closed`: nothing can be reached.
 * https://pip.pypa.io/en/stable/topics/configuration/ https://docs.npmjs.com/cli/v11/using-npm/config https://nodejs.org/api/cli.html
 */
export function networkVariables(network: "open" | "closed"): Readonly<Record<string, string>> {
  const tries = network === "open" ? "1" : "0";
  return {
    ...proxyVariables(""),
    NODE_USE_ENV_PROXY: "1",
    PIP_RETRIES: tries,
    npm_config_fetch_retries: tries,
    // Neither is what the command is for, and each asks another host.
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    npm_config_update_notifier: "false",
  };
}
