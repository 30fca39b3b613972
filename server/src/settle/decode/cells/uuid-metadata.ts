import type { Metadata } from '../../../arrow/field.ts';

/** What marks sixteen bytes as a UUID. */
export const uuidMetadata: Metadata = [
  ['ARROW:extension:name', 'arrow.uuid'],
  ['ARROW:extension:metadata', ''],
];
