import type { Origin } from '@framehold/client';

/** Where a version comes from, in a few words. */
export function originText({ kind, format, from }: Origin): string {
  switch (kind) {
    case 'query':
      return 'query';
    case 'restored':
      return `restored from version ${from}`;
    case 'append':
      return format === 'sql' ? 'insert' : `append (${format})`;
    case 'upload':
      return `upload (${format})`;
  }
}
