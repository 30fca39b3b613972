import { FrameholdError } from '../../model/errors.ts';
import type { RawQuery } from './raw-query.ts';

/** A parameter in the URL: its OpenAPI description and the way it is read, in one place. */
export interface Parameter<Value = unknown> {
  readonly name: string;
  /** For the OpenAPI document. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly isRequired?: true;
  /** bad_request if the value is malformed. */
  read(query: RawQuery): Value;
}

/** undefined if it is not given. */
export function text(
  name: string,
  description?: string,
  more: Readonly<Record<string, unknown>> = {},
): Parameter<string | undefined> {
  return {
    name,
    schema: { type: 'string', ...more, ...described(description) },
    read: (query) => query.value(name),
  };
}

/** Fifteen digits stay exact in a double. */
const digits = /^\d{1,15}$/;

export interface WholeNumber extends Parameter<number | undefined> {
  /** `max`: the largest number allowed. */
  read(query: RawQuery, max?: number): number | undefined;
}

/** A whole number of rows or entries; undefined if it is not given. */
export function wholeNumber(name: string, description?: string): WholeNumber {
  return {
    name,
    schema: { type: 'string', pattern: digits.source, ...described(description) },
    read(query, max = Number.MAX_SAFE_INTEGER) {
      const given = query.value(name);
      if (given === undefined) return undefined;
      if (digits.test(given) && Number(given) <= max) return Number(given);
      throw new FrameholdError(
        'bad_request',
        `${name}=${JSON.stringify(given.slice(0, 40))} is not a whole number from 0 to ${max}.`,
        { hint: `Give ${name} in digits, at most ${max}.` },
      );
    },
  };
}

/** true or false; false if it is not given. */
export function flag(name: string, description: string): Parameter<boolean> {
  return {
    name,
    schema: { type: 'string', enum: ['true', 'false'], description },
    read(query) {
      const given = query.value(name);
      if (given === undefined || given === 'false') return false;
      if (given === 'true') return true;
      throw new FrameholdError(
        'bad_request',
        `${name}=${JSON.stringify(given.slice(0, 40))} is neither true nor false.`,
        { hint: `Give ${name}=true or leave it out.` },
      );
    },
  };
}

const pageDefault = 100;
/** One page is one answer in memory: a thousand manifests are a few hundred kilobytes. */
const pageMax = 1_000;
const entries = wholeNumber('limit');

/** How many entries of a list one page has. */
export const pageLimit: Parameter<number> = {
  ...entries,
  read(query) {
    const limit = entries.read(query, pageMax) ?? pageDefault;
    if (limit === 0)
      throw new FrameholdError('bad_request', 'limit=0 asks for an empty page.', {
        hint: `Give 1 to ${pageMax}.`,
      });
    return limit;
  },
};

/** The parameters that an operation takes, under any key. */
export type Parameters = Readonly<Record<string, Parameter>>;

export function required<Value>(parameter: Parameter<Value>): Parameter<Value> {
  return { ...parameter, isRequired: true };
}

/** As the OpenAPI document lists them; undefined for none. */
export function querystringOf(taken: Parameters): object | undefined {
  const parameters = Object.values(taken);
  if (parameters.length === 0) return undefined;
  const names = parameters.filter(({ isRequired }) => isRequired === true).map(({ name }) => name);
  return {
    type: 'object',
    ...(names.length === 0 ? {} : { required: names }),
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  };
}

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}
