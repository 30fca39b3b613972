import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../server/test/support/repository.ts';

/** A command that a document asks its reader to run. */
export interface DocumentedCommand {
  readonly language: 'sh' | 'python' | 'java';
  /** Of the block's first line. */
  readonly line: number;
  readonly text: string;
  /** What it prints, if the next block says so. */
  readonly promise: string | null;
}

/** The sh, python and java blocks of a document, in order, each with the text block that follows it. */
export function documentedCommands(path: string): DocumentedCommand[] {
  const blocks = fencedBlocks(path);
  return blocks.flatMap(({ language, line, text }, index) => {
    if (language !== 'sh' && language !== 'python' && language !== 'java') return [];
    const next = blocks[index + 1];
    return [{ language, line, text, promise: next?.language === 'text' ? next.text : null }];
  });
}

/** The js blocks of a document as one program, and all that it prints. */
export function documentedProgram(path: string): { readonly text: string; readonly promise: string } {
  const blocks = fencedBlocks(path);
  const programs = blocks.filter(({ language }) => language === 'js');
  const printed = blocks.filter(
    ({ language }, index) => language === 'text' && blocks[index - 1]?.language === 'js',
  );
  return {
    text: programs.map(({ text }) => text).join('\n'),
    promise: printed.map(({ text }) => text).join(''),
  };
}

/** The one page that a document shows. */
export function documentedPage(path: string): string {
  const pages = fencedBlocks(path).filter(({ language }) => language === 'html');
  assert.equal(pages.length, 1);
  return pages[0]?.text ?? '';
}

function fencedBlocks(path: string): { language: string; line: number; text: string }[] {
  const document = readFileSync(join(repositoryRoot, path), 'utf8');
  return [...document.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map((match) => ({
    language: match[1] ?? '',
    line: document.slice(0, match.index).split('\n').length + 1,
    text: match[2] ?? '',
  }));
}

/** What a test that types the block is called. */
export function firstLine({ text }: DocumentedCommand): string {
  return text.split('\n', 1)[0] ?? '';
}

/** A promise as a pattern for the whole output: an ellipsis matches what differs from run to run, within a line. */
export function promisePattern(promise: string): RegExp {
  const escaped = promise.trimEnd().split('…').map(escapePattern);
  return new RegExp(`^${escaped.join('[^\\n]*')}$`);
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
