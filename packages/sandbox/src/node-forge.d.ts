/** The part of node-forge that is used here: https://github.com/digitalbazaar/forge#x509 */
declare module "node-forge" {
  interface PublicKey {
    readonly n: unknown;
  }
  interface PrivateKey {
    readonly d: unknown;
  }
  interface Certificate {
    publicKey: PublicKey;
    /** Hexadecimal. */
    serialNumber: string;
    readonly validity: { notBefore: Date; notAfter: Date };
    setSubject(attributes: readonly { readonly name: string; readonly value: string }[]): void;
    setIssuer(attributes: readonly { readonly name: string; readonly value: string }[]): void;
    setExtensions(extensions: readonly Readonly<Record<string, unknown>>[]): void;
    sign(key: PrivateKey, digest: unknown): void;
  }
  const forge: {
    readonly pki: {
      createCertificate(): Certificate;
      publicKeyFromPem(pem: string): PublicKey;
      privateKeyFromPem(pem: string): PrivateKey;
      certificateToPem(certificate: Certificate): string;
    };
    readonly md: { readonly sha256: { create(): unknown } };
  };
  export = forge;
}
