import { redisAvailable } from "@talaria/testkit";

/** The `skip` of tests that start a Redis. On CI a missing Redis is a failure. */
export const withoutRedis: string | false =
  process.env.CI === "true" || (await redisAvailable()) ? false : "redis-server is not installed";
