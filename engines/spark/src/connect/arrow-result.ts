import { isDeepStrictEqual } from 'node:util';
import { ownBuffers } from '../../../../server/src/arrow/arrays/layout.ts';
import type { Field, Schema } from '../../../../server/src/arrow/field.ts';
import { headerBytesOf, prefixBytes } from '../../../../server/src/arrow/ipc/framing.ts';
import {
  type BatchHeader,
  messageBodyBytes,
  parseMessage,
} from '../../../../server/src/arrow/ipc/message.ts';
import { MalformedArrow } from '../../../../server/src/arrow/malformed-arrow.ts';
import { typeLayout } from '../../../../server/src/model/types/type-table.ts';
import type { IpcMessage } from '../../../../server/src/ports/renderer.ts';
import { ConnectError } from './connect-error.ts';

/** One answer of an execution, as `Execution` gives it. */
export interface ArrowAnswer {
  readonly data: Uint8Array;
  readonly rows: number;
  readonly firstRow: number | null;
}

/**
 * The answers of one execution as the messages of one stream. Each answer is an IPC stream of its own: a schema, batches, an end marker. The
 * first schema is compared with the expected one, the others with its bytes. Headers are checked: lengths, rows, where buffers are. Bodies are passed on without a look.
 */
export class ArrowResult {
  readonly #expected: Schema;
  readonly #layout: Layout;
  #schemaHeader: Uint8Array | null = null;
  #rows = 0;

  constructor(expected: Schema) {
    this.#expected = expected;
    this.#layout = layoutOf(expected.fields);
  }

  /** Of the answers so far. */
  get rows(): number {
    return this.#rows;
  }

  /** The batches of one answer that have rows. They point into its bytes. ConnectError `protocol` if they are not what they should be. */
  messagesOf({ data, rows, firstRow }: ArrowAnswer): readonly IpcMessage[] {
    if (firstRow !== null && firstRow !== this.#rows)
      throw wrong(`rows from ${firstRow} on came after ${this.#rows} rows`);
    let messages: readonly FramedBatch[];
    try {
      messages = this.#batchesOf(data);
    } catch (thrown) {
      if (thrown instanceof MalformedArrow) throw wrong(thrown.message, thrown);
      throw thrown;
    }
    const counted = messages.reduce((sum, { rows }) => sum + rows, 0);
    if (counted !== rows) throw wrong(`an answer of ${rows} rows has ${counted}`);
    this.#rows += rows;
    return rows === 0 ? [] : messages;
  }

  #batchesOf(data: Uint8Array): FramedBatch[] {
    const batches: FramedBatch[] = [];
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    let position = 0;
    for (let index = 0; ; index++) {
      if (position + prefixBytes > data.length) throw new MalformedArrow('the stream is cut');
      const headerBytes = headerBytesOf(view, position);
      position += prefixBytes;
      if (headerBytes === 0) {
        if (index === 0) throw new MalformedArrow('a stream without a schema');
        if (position !== data.length) throw new MalformedArrow('bytes after the end of the stream');
        return batches;
      }
      if (position + headerBytes > data.length) throw new MalformedArrow('the stream is cut inside a header');
      // A flatbuffer has its alignment from its first byte on, wherever that is.
      const header = data.subarray(position, position + headerBytes);
      position += headerBytes;
      const bodyBytes = messageBodyBytes(header);
      if (bodyBytes > data.length - position) throw new MalformedArrow('the stream is cut inside a body');
      const body = data.subarray(position, position + bodyBytes);
      position += bodyBytes;
      if (index === 0) this.#checkSchema(header, bodyBytes);
      else batches.push(this.#batchOf(header, body));
    }
  }

  #batchOf(header: Uint8Array, body: Uint8Array): FramedBatch {
    const message = parseMessage(header);
    // Spark encodes no column with a dictionary.
    if (message.kind !== 'record-batch') throw new MalformedArrow(`a ${message.kind} among the batches`);
    checkBatch(message.batch, this.#layout, body.length);
    return {
      header,
      rows: message.batch.length,
      bodyBytes: body.length,
      async readBody(target) {
        target.set(body);
      },
      peekBody: () => body,
    };
  }

  #checkSchema(header: Uint8Array, bodyBytes: number): void {
    if (this.#schemaHeader !== null && Buffer.compare(header, this.#schemaHeader) === 0) return;
    const message = parseMessage(header);
    if (message.kind !== 'schema') throw new MalformedArrow('a stream that does not begin with its schema');
    if (bodyBytes !== 0) throw new MalformedArrow('a schema with a body');
    const schema = { fields: message.schema.fields.map(bare), metadata: [] };
    if (!isDeepStrictEqual(schema, this.#expected))
      throw new MalformedArrow('the schema of the rows is not the one that was announced');
    this.#schemaHeader = header.slice();
  }
}

/** Without metadata: Spark sends its own with it. */
function bare(field: Field): Field {
  return { ...field, children: field.children.map(bare), metadata: [] };
}

interface FramedBatch extends IpcMessage {
  readonly rows: number;
}

/** What the header of a batch must describe. */
interface Layout {
  readonly nodes: number;
  readonly buffers: number;
  /** Which nodes are columns: they have as many rows as the batch. */
  readonly columns: readonly number[];
}

function layoutOf(fields: readonly Field[]): Layout {
  let nodes = 0;
  let buffers = 0;
  const visit = ({ type, children }: Field): void => {
    const layout = typeLayout(type);
    nodes += 1;
    buffers += (layout.kind === 'none' ? 0 : 1) + ownBuffers(layout);
    for (const child of children) visit(child);
  };
  const columns: number[] = [];
  for (const field of fields) {
    columns.push(nodes);
    visit(field);
  }
  return { nodes, buffers, columns };
}

function checkBatch(batch: BatchHeader, layout: Layout, bodyBytes: number): void {
  const { nodeLengths, nodeNullCounts, bufferOffsets, bufferLengths } = batch;
  if (nodeLengths.length !== layout.nodes || bufferOffsets.length !== layout.buffers)
    throw new MalformedArrow('a batch of other columns than its schema');
  if (layout.columns.some((node) => nodeLengths[node] !== batch.length))
    throw new MalformedArrow('a column with another number of rows than its batch');
  if (nodeLengths.some((length, node) => (nodeNullCounts[node] as number) > length))
    throw new MalformedArrow('more nulls than values');
  if (bufferOffsets.some((offset, index) => offset + (bufferLengths[index] as number) > bodyBytes))
    throw new MalformedArrow('a buffer outside of its body');
}

function wrong(what: string, cause?: unknown): ConnectError {
  return new ConnectError('protocol', `Spark Connect sent rows that cannot be read: ${what}.`, { cause });
}
