import { z } from "zod";
import { Secret } from "../secret.ts";

/** An http or https address without user and password. */
export const httpUrlSchema = z
  .string()
  .refine(isPlainHttpUrl, "must be an http:// or https:// address without user and password");

/** The database: the embedded one, or a server. The address is secret because it may carry a password. */
export const databaseSchema = z
  .string()
  .refine(
    (value) => value === "embedded" || isUrlOf(value, ["postgres:", "postgresql:"]),
    "must be `embedded` or a postgres:// address",
  )
  .transform((value) =>
    value === "embedded" ? { kind: "embedded" as const } : { kind: "postgres" as const, url: new Secret(value) },
  );

/** Redis: none, or a server. */
export const redisSchema = z
  .string()
  .refine(
    (value) => value === "none" || isUrlOf(value, ["redis:", "rediss:"]),
    "must be `none` or a redis:// or rediss:// address",
  )
  .transform((value) =>
    value === "none" ? { kind: "none" as const } : { kind: "redis" as const, url: new Secret(value) },
  );

/** An HTTP proxy. Its password, if it has one, is kept out of logs like any secret. */
export const proxySchema = z
  .string()
  .refine((value) => isUrlOf(value, ["http:", "https:"]), "must be an http:// or https:// address");

function isUrlOf(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

function isPlainHttpUrl(value: string): boolean {
  if (!isUrlOf(value, ["http:", "https:"])) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}
