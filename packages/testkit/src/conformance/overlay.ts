import type { Adapter } from "@talaria/adapter";

/** The adapter with some members replaced. */
export function overlay(adapter: Adapter, members: Partial<Record<keyof Adapter, unknown>>): Adapter {
  return new Proxy(adapter, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return members[name as keyof Adapter];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
