/** Arrow's logical types and fields as plain data. */

export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

export interface IntType {
  readonly kind: 'int';
  readonly bits: 8 | 16 | 32 | 64;
  readonly signed: boolean;
}

export type ArrowType =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool' }
  | IntType
  | { readonly kind: 'float'; readonly bits: 16 | 32 | 64 }
  | {
      readonly kind: 'decimal';
      readonly bits: 32 | 64 | 128 | 256;
      readonly precision: number;
      readonly scale: number;
      /** A whole number of the engine that only Arrow calls a decimal (`withWideIntegers`). Never out of a message. */
      readonly integer?: 'HUGEINT' | 'UHUGEINT';
    }
  | { readonly kind: 'utf8'; readonly large: boolean }
  | { readonly kind: 'utf8-view' }
  | { readonly kind: 'binary'; readonly large: boolean }
  | { readonly kind: 'binary-view' }
  | { readonly kind: 'fixed-binary'; readonly width: number }
  | { readonly kind: 'date'; readonly unit: 'day' | 'ms' }
  | { readonly kind: 'time'; readonly bits: 32 | 64; readonly unit: TimeUnit }
  | { readonly kind: 'timestamp'; readonly unit: TimeUnit; readonly zone: string | null }
  | { readonly kind: 'duration'; readonly unit: TimeUnit }
  | { readonly kind: 'interval'; readonly unit: 'year-month' | 'day-time' | 'month-day-nano' }
  | { readonly kind: 'list'; readonly large: boolean }
  | { readonly kind: 'list-view'; readonly large: boolean }
  | { readonly kind: 'fixed-list'; readonly size: number }
  | { readonly kind: 'struct' }
  | { readonly kind: 'map'; readonly keysSorted: boolean }
  | { readonly kind: 'union'; readonly mode: 'sparse' | 'dense'; readonly typeIds: readonly number[] }
  | { readonly kind: 'run-end' };

export type ArrowKind = ArrowType['kind'];
export type TypeOf<Kind extends ArrowKind> = Extract<ArrowType, { kind: Kind }>;

/** What has the layout that every reader knows: no views. `plainForm` gives it. */
export type PlainType = Exclude<ArrowType, { kind: `${string}-view` }>;

export type Metadata = readonly (readonly [key: string, value: string])[];

export interface DictionaryEncoding {
  readonly id: bigint;
  readonly index: IntType;
  readonly ordered: boolean;
}

export interface Field {
  readonly name: string;
  readonly nullable: boolean;
  /** For a dictionary-encoded field: the type of the values. */
  readonly type: ArrowType;
  readonly children: readonly Field[];
  readonly dictionary: DictionaryEncoding | null;
  readonly metadata: Metadata;
}

export interface Schema {
  readonly fields: readonly Field[];
  readonly metadata: Metadata;
}
