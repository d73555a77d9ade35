export const service = "vertex";

/** Where a model is in Google Cloud, and who asks. */
export interface VertexSettings {
  readonly project: string;
  /** A region, `global`, or `us` and `eu` for several regions of one. Default: `global`. */
  readonly location?: string | undefined;
  /** The JSON of a service account's key, or of application default credentials. Without it, the metadata server is asked. */
  readonly credentials?: string | { reveal(): string } | undefined;
  /** Default: Google's own, which only its machines reach. */
  readonly metadataUrl?: string | undefined;
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations */
export function vertexHost({ location = "global" }: VertexSettings): string {
  if (location === "global") return "aiplatform.googleapis.com";
  if (location === "us" || location === "eu") return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

/** The models of one publisher. `baseUrl` stands for scheme and host. */
export function publisherUrl(
  { baseUrl, vertex }: { readonly baseUrl?: string | undefined; readonly vertex: VertexSettings },
  version: "v1" | "v1beta1",
  publisher: "google" | "anthropic",
): string {
  const { project, location = "global" } = vertex;
  const root = (baseUrl ?? `https://${vertexHost(vertex)}`).replace(/\/+$/, "");
  return `${root}/${version}/projects/${project}/locations/${location}/publishers/${publisher}`;
}
