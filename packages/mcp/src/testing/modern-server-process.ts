import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { modernPeer } from "./modern-peer.ts";

serveStdio(() => modernPeer());
