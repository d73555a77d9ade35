/** An entry of the configuration that is wrong: left out with these words, while everything else runs. */
export interface ConfigRow {
  readonly id: string;
  readonly what: string;
  readonly key: string;
  readonly says: RegExp;
}

export const configRows: readonly ConfigRow[] = [
  {
    id: "A01",
    what: "an allow list that is missing",
    key: "accounts.a01.access.allow",
    says: /no principals for account a01/,
  },
  {
    id: "A17",
    what: "an allow list that was emptied",
    key: "accounts.a17.access.allow",
    says: /no principals for account a17/,
  },
  {
    id: "A02",
    what: "an empty entry in a list",
    key: "accounts.a02a.access.allow.0",
    says: /an empty entry allows nobody/,
  },
  { id: "A02", what: "a star in a list", key: "accounts.a02b.access.allow.0", says: /"\*" is not an id/ },
  { id: "A05", what: "a user name in a list", key: "accounts.a05a.access.allow.0", says: /names can be taken over/ },
  {
    id: "A05",
    what: "a user name dressed up as an id",
    key: "accounts.a05b.access.allow.0",
    says: /not the id of a user/,
  },
  { id: "A04", what: "an id with a leading zero", key: "accounts.a04.access.allow.0", says: /not the id of a user/ },
  { id: "A07", what: "a group's title in a list", key: "accounts.a07.access.allow.0", says: /not the id of a group/ },
  { id: "J08", what: "a misspelt key", key: "accounts.j08.acess", says: /did you mean "access"/ },
  { id: "J08", what: "a misspelt platform", key: "accounts.j05.platform", says: /did you mean "telegram"/ },
  { id: "K07", what: "a secret's file that is not there", key: "accounts.k07.token", says: /nowhere\/token/ },
  { id: "B02", what: "a route without a secret", key: "webhooks.b02a.secret", says: /is required/ },
  { id: "B02", what: "an empty secret", key: "webhooks.b02b.secret", says: /too short/ },
  { id: "B02", what: "a secret of stars", key: "webhooks.b02c.secret", says: /placeholder/ },
  { id: "B02", what: "a secret nobody changed", key: "webhooks.b02d.secret", says: /placeholder/ },
  { id: "B02", what: "a secret of five letters", key: "webhooks.b02e.secret", says: /too short/ },
  { id: "B21", what: "a callback to a local file", key: "webhooks.b21.callbackUrl", says: /http:\/\/ or https:\/\// },
];
