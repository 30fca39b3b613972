import type { FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { receiveJson } from '../request/receive-json.ts';
import { mcpSchema } from '../routes/schemas/mcp-schema.ts';
import { answerMessage } from './answer-message.ts';
import { type RpcMessage, readMessage, rpcCodes, rpcError } from './json-rpc.ts';
import { allowsBatches } from './revisions.ts';
import type { ToolCall } from './tool.ts';

/** Each message may be a statement, and they run one after another while the caller waits. */
const batchMax = 16;

/** One request of a client: a message, or several. */
export async function answerMcp(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const signal = callerSignal(reply);
  const mayBatch = allowsBatches(request.headers['mcp-protocol-version']);
  const body = await receiveMessages(context, request, reply);
  if (typeof body === 'string') return sendJson(reply.code(400), body);
  const call = { caller: callerOf(request), signal };
  if (!Array.isArray(body.value)) {
    const message = readMessage(body.value);
    const answer = await answerMessage(context, message, call);
    if (answer === null) return reply.code(202).send();
    return sendJson(reply.code(message.kind === 'invalid' ? 400 : 200), answer);
  }
  const messages = body.value.map(readMessage);
  const refusal = refusedBatch(messages, mayBatch);
  if (refusal !== null) return sendJson(reply.code(400), refusal);
  const answers = await inTurn(context, messages, call);
  return answers.length === 0 ? reply.code(202).send() : sendJson(reply, `[${answers.join(',')}]`);
}

/** A text: the error of the protocol for what is not JSON. */
async function receiveMessages(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ readonly value: unknown } | string> {
  try {
    const value = await receiveJson(context, request, reply, {
      mediaTypes: mcpSchema.consumes,
      bytesMax: context.limits.sqlTextBytesMax,
      tooLargeHint: 'The limit is sql.text_bytes_max.',
    });
    return { value };
  } catch (error) {
    if (!(error instanceof FrameholdError) || error.kind !== 'bad_request') throw error;
    return rpcError(null, rpcCodes.parseError, error.message, 'Send one message of JSON-RPC 2.0.');
  }
}

function refusedBatch(messages: readonly RpcMessage[], mayBatch: boolean): string | null {
  const refuse = (reason: string, hint: string) => rpcError(null, rpcCodes.invalidRequest, reason, hint);
  const one = 'Send one message in each request.';
  if (!mayBatch) return refuse('This revision of the protocol has no batches.', one);
  if (messages.length === 0) return refuse('The batch is empty.', one);
  if (messages.length > batchMax)
    return refuse(`The batch has ${messages.length} messages; at most ${batchMax} are allowed.`, one);
  if (messages.some((each) => each.kind === 'request' && each.method === 'initialize'))
    return refuse('initialize is in a batch.', 'Send initialize alone.');
  return null;
}

async function inTurn(
  context: HttpContext,
  messages: readonly RpcMessage[],
  call: ToolCall,
): Promise<string[]> {
  const answers: string[] = [];
  for (const message of messages) {
    const answer = await answerMessage(context, message, call);
    if (answer !== null) answers.push(answer);
  }
  return answers;
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').header('cache-control', 'no-store').send(text);
}
