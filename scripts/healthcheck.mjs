// The health check of the container image: 0 when the gateway answers on its port, else 1.
const port = process.env.TALARIA_HEALTH_PORT ?? "7420";

try {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_500) });
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  console.error(`the gateway does not answer on port ${port}: ${error.message}`);
  process.exitCode = 1;
}
