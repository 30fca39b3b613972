import type { Caller } from '../../model/caller.ts';
import type { Handle } from '../../model/handle.ts';
import type { Column } from '../../model/version.ts';

/** What can be said about versions without reading all their rows: how values are distributed, and how two versions differ. */
export interface Analysis {
  /** Of some columns, or of all. Computed once for each version. column_not_found; not_representable if SQL cannot read the frame. */
  statistics(
    caller: Caller,
    handle: Handle,
    columns: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<FrameStatistics>;
  /** How version `to` of a name differs from version `from`. */
  diff(caller: Caller, target: DiffTarget, signal: AbortSignal): Promise<FrameDiff>;
}

export interface FrameStatistics {
  readonly handle: string;
  readonly rows: number;
  readonly columns: readonly ColumnStatistics[];
}

/** Texts are those of JSON rows, except that floating-point numbers may be NaN, Infinity or -Infinity. */
export interface ColumnStatistics {
  readonly name: string;
  readonly type: string;
  /** null if the column cannot be read; `reason` says why. */
  readonly nulls: number | null;
  /** Estimated, unless all values were counted for the histogram. */
  readonly distinct: number | null;
  readonly min: string | null;
  readonly max: string | null;
  readonly mean: string | null;
  /** Floating-point columns: values that are NaN or infinite. They are in no bin and not in the mean. */
  readonly notFinite?: number;
  readonly histogram: Histogram | null;
  /** Why there is no histogram, or nothing at all. */
  readonly reason?: string;
}

export type Histogram =
  | { readonly kind: 'range'; readonly bins: readonly Bin[] }
  | { readonly kind: 'values'; readonly values: readonly ValueCount[]; readonly others: number };

/** Whole numbers and dates: from `from` to `to`. Others: above `from`, in the first bin also equal to it, up to `to`. */
export interface Bin {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

export interface DiffTarget {
  readonly handle: Handle;
  readonly from: number;
  /** null: the newest. */
  readonly to: number | null;
}

export interface FrameDiff {
  readonly from: number;
  readonly to: number;
  readonly schema: SchemaChange;
  readonly rows: RowsChange;
}

export interface SchemaChange {
  readonly added: readonly Pick<Column, 'name' | 'type'>[];
  readonly removed: readonly Pick<Column, 'name' | 'type'>[];
  readonly changed: readonly { readonly name: string; readonly from: string; readonly to: string }[];
  /** The common columns are in another order. */
  readonly reordered: boolean;
}

export type RowsChange =
  | { readonly kind: 'same' }
  /** All rows of `from` come first; `count` more follow, from row `offset` on. */
  | { readonly kind: 'appended'; readonly count: number; readonly offset: number }
  | {
      readonly kind: 'compared';
      readonly onlyInFrom: number;
      readonly onlyInTo: number;
      readonly inBoth: number;
      /** Only if the columns differ: rows were compared by these. */
      readonly columns?: readonly string[];
    }
  | { readonly kind: 'not_comparable'; readonly reason: string };
