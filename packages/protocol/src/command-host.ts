/** Hosts that one command may name. */
export const mostCommandHosts = 16;

/** The ports of a host that is named without one: those of https and http. */
const webPorts: readonly number[] = [443, 80];

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const form = new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?::[1-9]\\d{0,4})?$`);
const mostChars = 253;

/**
 * Why a text is no host that a command may ask for, as a sentence's end; undefined: it is one, `example.org` or `example.org:8443`. No
 * address, no star, no name of one word: what these lead to is not what somebody reads who agrees to them.
 */
export function commandHostFault(text: string): string | undefined {
  if (text.length > mostChars + 6) return `has more than ${mostChars} characters`;
  if (text.includes("/")) return "must be a host alone, without `https://` and without a path";
  if (text.includes("*")) return "must be one host: only the operator may name several with a star";
  if (!form.test(text)) return "must be a host name in small letters, such as `pypi.org` or `git.example.org:8443`";
  return Number(text.split(":")[1] ?? 0) > 65_535 ? "has a port above 65535" : undefined;
}

/** The address that a host stands for where policy speaks of addresses: https, unless port 80 is named. */
export function addressOfCommandHost(host: string): string {
  const [name = "", port] = host.split(":");
  return port === "80"
    ? `http://${name}/`
    : `https://${name}${port === undefined || port === "443" ? "" : `:${port}`}/`;
}

/**
 * Whether one of `hosts` means this port of this name. Without a port, a host means those of the web. `*.example.org` means the hosts
 * below it.
 */
export function opensHost(hosts: readonly string[], name: string, port: number): boolean {
  return hosts.some((host) => {
    const [given = "", ownPort] = host.split(":");
    const isPort = ownPort === undefined ? webPorts.includes(port) : Number(ownPort) === port;
    return isPort && (given.startsWith("*.") ? name.endsWith(given.slice(1)) : name === given);
  });
}

/** Whether all that `host` means is meant by `hosts`. */
export function coversHost(hosts: readonly string[], host: string): boolean {
  const [name = "", port] = host.split(":");
  return (port === undefined ? webPorts : [Number(port)]).every((one) => opensHost(hosts, name, one));
}
