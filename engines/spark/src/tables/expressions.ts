import { create } from '@bufbuild/protobuf';
import {
  type Expression,
  type Expression_Literal,
  Expression_UnresolvedNamedLambdaVariableSchema,
  ExpressionSchema,
} from '../connect/gen/spark/connect/expressions_pb.js';
import { type DataType, DataTypeSchema } from '../connect/gen/spark/connect/types_pb.js';

/**
 * Expressions of Spark as messages. Nothing that a caller named is in a text that Spark parses: names of columns and members are literals or aliases here.
 */

type LiteralValue = Expression_Literal['literalType'];

/** Only for names that were made here, because this one is parsed. */
export function column(name: string): Expression {
  return make({ case: 'unresolvedAttribute', value: { unparsedIdentifier: name } });
}

export function call(functionName: string, ...args: Expression[]): Expression {
  return make({ case: 'unresolvedFunction', value: { functionName, arguments: args } });
}

export function text(value: string): Expression {
  return literal({ case: 'string', value });
}

export function long(value: number): Expression {
  return literal({ case: 'long', value: BigInt(value) });
}

export function nothing(): Expression {
  return literal({ case: 'null', value: create(DataTypeSchema, { kind: { case: 'null', value: {} } }) });
}

export function integer(value: number): Expression {
  return literal({ case: 'integer', value });
}

export function cast(expr: Expression, type: NonNullable<DataType['kind']['case']>): Expression {
  const to = create(DataTypeSchema, { kind: { case: type, value: {} } as DataType['kind'] });
  return make({ case: 'cast', value: { expr, castToType: { case: 'type', value: to } } });
}

export function named(expr: Expression, name: string): Expression {
  return make({ case: 'alias', value: { expr, name: [name] } });
}

export function member(child: Expression, name: string): Expression {
  return make({ case: 'unresolvedExtractValue', value: { child, extraction: text(name) } });
}

/** A function of one value or of several, for `transform` and its like. The names are made here. */
export function lambda(
  names: readonly string[],
  body: (...variables: Expression[]) => Expression,
): Expression {
  const variables = names.map((name) =>
    create(Expression_UnresolvedNamedLambdaVariableSchema, { nameParts: [name] }),
  );
  const uses = variables.map((value) => make({ case: 'unresolvedNamedLambdaVariable', value }));
  return make({ case: 'lambdaFunction', value: { function: body(...uses), arguments: variables } });
}

function literal(literalType: LiteralValue): Expression {
  return make({ case: 'literal', value: { literalType } });
}

function make(
  exprType: NonNullable<Parameters<typeof create<typeof ExpressionSchema>>[1]>['exprType'],
): Expression {
  return create(ExpressionSchema, { exprType } as Parameters<typeof create<typeof ExpressionSchema>>[1]);
}
