import { GrowingBytes } from '../../arrow/arrays/growing-bytes.ts';

/** Bytes of one column while its rows are gathered: few at first, because an upload may have 100,000 columns. */
export function columnBytes(): GrowingBytes {
  return new GrowingBytes(1024);
}
