/** What one of each costs. CPU in seconds. */
export interface UnitCosts {
  readonly warmReadCpu: number;
  readonly warmReadBytes: number;
  readonly manifestCpu: number;
  readonly flightReadCpu: number;
  readonly flightReadCpuPerGigabyte: number;
  readonly putCpu: number;
  readonly putCpuPerGigabyte: number;
  readonly transcodeCpuPerGigabyte: number;
  readonly coldReadCpu: number;
  /** Of PostgreSQL, for the look-up of a read on a busy node, which asks for many at once. */
  readonly lookupCpu: number;
  /** Of PostgreSQL, for a put and the transcoding of its part. */
  readonly putCatalogCpu: number;
  readonly catalogBytesPerFrame: number;
  readonly uploadPartBytes: number;
  readonly transcodePuts: number;
  readonly transcodeGets: number;
}

export interface Prices {
  readonly storageGigabyteMonth: number;
  readonly puts1000: number;
  readonly gets1000: number;
  readonly coreHour: number;
  readonly diskGigabyteMonth: number;
}

/** Measured by `npm run bench:scale`; docs/scale.md says when and on what. */
export const unitCosts: UnitCosts = {
  warmReadCpu: 106e-6,
  warmReadBytes: 59_000,
  manifestCpu: 98e-6,
  flightReadCpu: 0,
  flightReadCpuPerGigabyte: 0.86,
  putCpu: 8.8e-3,
  putCpuPerGigabyte: 6.1,
  transcodeCpuPerGigabyte: 27,
  coldReadCpu: 6e-3,
  lookupCpu: 33e-6,
  putCatalogCpu: 14e-3,
  catalogBytesPerFrame: 1_653,
  uploadPartBytes: 8 * 1024 * 1024,
  transcodePuts: 1,
  transcodeGets: 0,
};

/** List prices of AWS in us-east-1, as published in mid 2026: S3 Standard above 500 TB, m7g (a quarter of whose memory comes with each core), gp3. */
export const prices: Prices = {
  storageGigabyteMonth: 0.021,
  puts1000: 0.005,
  gets1000: 0.0004,
  coreHour: 0.0408,
  diskGigabyteMonth: 0.08,
};
