import { formatOfName, type UploadFormat } from '@framehold/client';
import { signal } from '@preact/signals';
import { href, navigate } from '../shell/router.ts';
import { toast } from '../ui/toast.tsx';
import { formatOfText } from './upload-names.ts';

/** What somebody dropped, pasted or chose, before it is sent. */
export interface UploadSource {
  readonly id: number;
  readonly blob: Blob;
  /** Null for pasted text. */
  readonly fileName: string | null;
  readonly format: UploadFormat;
}

/** In the order in which they came; the first one is shown. */
export const uploadSources = signal<readonly UploadSource[]>([]);

/** People look at each report: a folder with more files than this is a job for a program. */
const sourcesMax = 50;
let lastId = 0;

export function offerFiles(files: Iterable<File>): void {
  const offered = [...files].filter((file) => file.size > 0 || file.name !== '');
  add(offered.map((file) => ({ blob: file, fileName: file.name, format: formatOfName(file.name) ?? 'csv' })));
}

export function offerText(text: string): void {
  add([{ blob: new Blob([text]), fileName: null, format: formatOfText(text) }]);
}

export function dismissSource(id: number): void {
  uploadSources.value = uploadSources.peek().filter((source) => source.id !== id);
}

function add(offered: readonly Omit<UploadSource, 'id'>[]): void {
  const room = sourcesMax - uploadSources.peek().length;
  if (offered.length > room)
    toast({ kind: 'error', text: `At most ${sourcesMax} files at a time; the others were left out.` });
  uploadSources.value = [
    ...uploadSources.peek(),
    ...offered.slice(0, room).map((source) => {
      lastId += 1;
      return { ...source, id: lastId };
    }),
  ];
  // What the frame screen put into the address (append to this name) stays.
  if (!location.hash.startsWith(href('upload'))) navigate(href('upload'));
}
