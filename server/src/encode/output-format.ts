import type { RenderOptions } from '../ports/renderer.ts';
import type { RowWriter } from './row-writer.ts';

/** A format that callers may ask for: its writer, and what an answer says about it. */
export interface OutputFormat extends RowWriter<RenderOptions> {
  /** The value of `Content-Type`; of a text it has the charset. */
  readonly mediaType: string;
  /** Further types in `Accept` that mean this format. */
  readonly otherTypes?: readonly string[];
  readonly fileExtension: string;
  /** Whether browsers show an answer or save it as a file. */
  readonly disposition: 'inline' | 'attachment';
  /** Whether a content coding makes answers smaller. */
  readonly isCompressible: boolean;
}
