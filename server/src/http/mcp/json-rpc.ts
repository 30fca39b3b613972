import { isObject } from '../../base/is-object.ts';

/** Codes of JSON-RPC 2.0. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
} as const;

type RpcId = string | number;

export interface RpcRequest {
  readonly kind: 'request';
  readonly id: RpcId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A notification of the client, or its response: neither gets an answer. */
interface RpcSilent {
  readonly kind: 'silent';
}

/** Not a message of JSON-RPC 2.0. */
interface RpcInvalid {
  readonly kind: 'invalid';
  readonly id: RpcId | null;
  readonly reason: string;
}

export type RpcMessage = RpcRequest | RpcSilent | RpcInvalid;

/** Of a value that `parseExactJson` made: whole numbers are BigInts. */
export function readMessage(value: unknown): RpcMessage {
  if (!isObject(value)) return { kind: 'invalid', id: null, reason: 'A message is a JSON object.' };
  const id = readId(value.id);
  const invalid = (reason: string): RpcInvalid => ({ kind: 'invalid', id: id ?? null, reason });
  if (value.jsonrpc !== '2.0') return invalid('The member jsonrpc is not "2.0".');
  if (id === null) return invalid('The id is neither a string nor a whole number below 2^53.');
  const { method, params = {} } = value;
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'silent' };
  if (typeof method !== 'string') return invalid('The member method is missing, or not a string.');
  if (id === undefined) return { kind: 'silent' };
  // Methods of the protocol have named parameters only.
  if (!isObject(params)) return invalid('The member params is not an object.');
  return { kind: 'request', id, method, params };
}

/** Longer than the ids that libraries make; an answer repeats it. */
const idLengthMax = 200;

/** undefined if there is none, null if it is not one that can be repeated exactly. */
function readId(id: unknown): RpcId | null | undefined {
  if (id === undefined) return undefined;
  if (typeof id === 'string') return id.length <= idLengthMax ? id : null;
  const number = typeof id === 'bigint' ? Number(id) : null;
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

/** `result` is JSON already: rows keep the digits that they were rendered with. */
export function rpcResult(id: RpcId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function rpcError(id: RpcId | null, code: number, message: string, hint?: string): string {
  const error = { code, message, ...(hint === undefined ? {} : { data: { hint } }) };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}
