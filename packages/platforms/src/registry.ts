import type { PlatformModule } from "@talaria/adapter";
import type { Platform } from "@talaria/protocol";

/** How the module of a platform is loaded; its package exports it as `platform`. */
export type LoadModule<Module> = () => Promise<{ readonly platform: Module }>;

/** The platforms that accounts in the configuration file may name, in the order in which documents list them. */
export const registry: Readonly<Record<Platform, LoadModule<PlatformModule>>> = {
  telegram: () => import("@talaria/adapter-telegram"),
  discord: () => import("@talaria/adapter-discord"),
  slack: () => import("@talaria/adapter-slack"),
  whatsapp: () => import("@talaria/adapter-whatsapp"),
  matrix: () => import("@talaria/adapter-matrix"),
  email: () => import("@talaria/adapter-email"),
};

/** The platforms of the gateway's own accounts: no account in the file may name them. */
export const ownRegistry = {
  web: () => import("@talaria/adapter-web"),
  webhook: () => import("@talaria/adapter-webhook"),
};
