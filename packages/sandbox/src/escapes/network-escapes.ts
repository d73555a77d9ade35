import { type Escape, type EscapeKind, type EscapeTargets, perl } from "./escape.ts";

/** To talk to anything beyond the session's own processes. */
export function networkEscapes(t: EscapeTargets): readonly Escape[] {
  return [...metadata(), ...names(t), ...sockets(t)];
}

/** With bash's own sockets, or with the `nc` of busybox. Prints what is said at once. */
function reaches(kind: EscapeKind, name: string, host: string, port: number): Escape {
  return {
    kind,
    name,
    command: `if [ -x /bin/bash ]; then timeout 3 bash -c 'exec 3<>/dev/tcp/${host}/${port} && { timeout 1 head -c 100 <&3; true; }'; else timeout 3 nc ${host} ${port} </dev/null; fi`,
  };
}

/** Where clouds tell a machine its keys. */
function metadata(): readonly Escape[] {
  const reach = (name: string, host: string, port = 80) => reaches("metadata", name, host, port);
  return [
    reach("reach the metadata address", "169.254.169.254"),
    reach("reach it encrypted", "169.254.169.254", 443),
    reach("reach it by its number", "2852039166"),
    reach("reach it in hexadecimal", "0xA9FEA9FE"),
    reach("reach it over IPv6", "fd00:ec2::254"),
    reach("reach it as an IPv4 address in IPv6", "::ffff:169.254.169.254"),
    reach("reach it by its name at Google", "metadata.google.internal"),
    reach("reach the keys of a container's task", "169.254.170.2"),
    reach("reach that of Alibaba", "100.100.100.200"),
    reach("reach that of Oracle", "192.0.0.192"),
    reach("reach that of Azure", "168.63.129.16"),
    {
      kind: "metadata",
      name: "ask it by HTTP",
      command:
        "if command -v curl >/dev/null; then curl -sfm 3 http://169.254.169.254/latest/; else timeout 3 wget -qO- http://169.254.169.254/latest/; fi",
    },
  ];
}

/** A question for the address of example.com, as RFC 1035 writes it. */
const question =
  "\\022\\064\\001\\000\\000\\001\\000\\000\\000\\000\\000\\000\\007example\\003com\\000\\000\\001\\000\\001";

function names(t: EscapeTargets): readonly Escape[] {
  const attempt = (name: string, command: string, needs: readonly string[] = []): Escape => ({
    kind: "dns",
    name,
    command,
    needs,
  });
  /** Sends a datagram and waits for an answer: without a network the sending alone may seem to succeed. */
  const asks = (name: string, host: string, port: number) =>
    attempt(
      name,
      `if [ -x /bin/bash ]; then timeout 3 bash -c 'exec 3<>/dev/udp/${host}/${port}; printf "${question}" >&3; read -t 2 -n 1 -u 3'; else printf '${question}' | timeout 3 nc -u -w 2 ${host} ${port} | grep -a .; fi`,
    );
  return [
    attempt("resolve a name", "timeout 5 getent hosts example.com", ["getent"]),
    attempt("resolve a name with nslookup", "timeout 5 nslookup example.com 1.1.1.1", ["nslookup"]),
    reaches("dns", "reach a name server", "1.1.1.1", 53),
    reaches("dns", "reach one that speaks TLS", "9.9.9.9", 853),
    asks("ask a name server", "8.8.8.8", 53),
    asks("ask the machine's resolver", "127.0.0.53", 53),
    asks("ask those of the neighbourhood", "224.0.0.251", 5_353),
    asks("ask a server on the worker's machine", "127.0.0.1", t.udpPort),
    asks("ask it at its own address", t.ownAddress, t.udpPort),
  ];
}

function sockets(t: EscapeTargets): readonly Escape[] {
  const attempt = (name: string, command: string, needs: readonly string[] = []): Escape => ({
    kind: "sockets",
    name,
    command,
    needs,
  });
  const reach = (name: string, host: string, port = t.tcpPort) => reaches("sockets", name, host, port);
  const unix = (name: string, address: string) =>
    perl(
      "sockets",
      name,
      `use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0); connect($s, ${address}) or exit 1; print <$s>; exit 0`,
    );
  const opens = (name: string, words: string) => perl("sockets", name, `exit(socket(my $s, ${words}) ? 0 : 1)`);
  return [
    reach("reach the worker's machine at 127.0.0.1", "127.0.0.1"),
    reach("reach it by name", "localhost"),
    reach("reach it at 0.0.0.0", "0.0.0.0"),
    reach("reach it at another loopback address", "127.1.2.3"),
    reach("reach it at ::1", "::1"),
    reach("reach it at its own address", t.ownAddress),
    reach("reach it as a container's host", "172.17.0.1"),
    reach("reach a private network", "10.0.0.1", 80),
    unix("reach a socket in a folder outside", `pack_sockaddr_un("${t.socketFile}")`),
    unix("reach a socket without a folder", `pack("Sa*", 1, "\\0${t.abstractSocket}")`),
    attempt("reach that socket with nc", `timeout 3 busybox nc local:'${t.socketFile}' </dev/null`, ["busybox"]),
    attempt(
      "find Docker's socket",
      "ls /var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock 2>/dev/null | grep .",
    ),
    attempt("find the system's bus", "ls /run/dbus/* /run/systemd/* 2>/dev/null | grep ."),
    attempt("find sockets of people", "ls -A /run/user/* /tmp/ssh-* /tmp/.X11-unix 2>/dev/null | grep ."),
    attempt("add a network device", "ip link add dummy0 type dummy", ["ip"]),
    attempt("add a route", "ip route add 169.254.169.254 dev lo", ["ip"]),
    opens("open a packet socket", "17, 3, 0"),
    opens("open a raw socket", "2, 3, 1"),
    opens("reach the machine beneath by vsock", "40, 1, 0"),
    opens("use the kernel's ciphers", "38, 5, 0"),
  ];
}
