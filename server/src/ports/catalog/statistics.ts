/** Statistics of versions, kept so that they are computed once. The catalog does not look into them. */
export interface StatisticsCatalog {
  /** What was kept for a version; null if nothing was, or if the version has ended. */
  statistics(tenant: string, name: string, version: number): Promise<Uint8Array | null>;
  /** Replaces what was kept. Nothing is kept for a version that has ended, or that has another id than the one given. They end with their version. */
  keepStatistics(
    tenant: string,
    name: string,
    version: number,
    body: Uint8Array,
    versionId?: string,
  ): Promise<void>;
}
