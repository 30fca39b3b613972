import type { OutputFormat } from './output-format.ts';
import { schemaOf } from './rows/arrow-steps.ts';

export const parquet: OutputFormat = {
  mediaType: 'application/vnd.apache.parquet',
  fileExtension: 'parquet',
  disposition: 'attachment',
  // Its pages are compressed already.
  isCompressible: false,
  isByValue: false,
  thread: 'own',
  // Its row groups are copied.
  form: 'parquet',
  async *write({ schemaMessage, batches }) {
    // Loaded only when needed: loading the Parquet library takes longer than most answers.
    const { renderParquet } = await import('./parquet-file.ts');
    yield* renderParquet(schemaOf(schemaMessage), schemaMessage, batches);
  },
};
