import type { ParserRuleContext } from 'antlr4ng';
import * as tree from '../gen/SqlBaseParser.js';

/** What a statement may consist of. A kind of node that is not here is refused, also one of a later grammar. */
const statement = [
  tree.CompoundOrSingleStatementContext,
  tree.SingleStatementContext,
  tree.StatementDefaultContext,
];

const queries = [
  tree.QueryContext,
  tree.CtesContext,
  tree.NamedQueryContext,
  tree.QueryTermDefaultContext,
  tree.SetOperationContext,
  tree.QueryPrimaryDefaultContext,
  tree.TableContext,
  tree.InlineTableDefault1Context,
  tree.SubqueryContext,
  tree.QueryOrganizationContext,
  tree.SortItemContext,
  tree.RegularQuerySpecificationContext,
  tree.SelectClauseContext,
  tree.SetQuantifierContext,
  tree.NamedExpressionSeqContext,
  tree.NamedExpressionContext,
  tree.ExceptClauseContext,
  tree.WhereClauseContext,
  tree.HavingClauseContext,
  tree.QualifyClauseContext,
  tree.AggregationClauseContext,
  tree.GroupByClauseContext,
  tree.GroupingAnalyticsContext,
  tree.GroupingElementContext,
  tree.GroupingSetContext,
  tree.WindowClauseContext,
  tree.NamedWindowContext,
  tree.WindowRefContext,
  tree.WindowDefContext,
  tree.WindowFrameContext,
  tree.FrameBoundContext,
];

const relations = [
  tree.FromClauseContext,
  tree.RelationContext,
  tree.RelationExtensionContext,
  tree.JoinRelationContext,
  tree.JoinTypeContext,
  tree.JoinCriteriaContext,
  tree.TableNameContext,
  tree.AliasedQueryContext,
  tree.AliasedRelationContext,
  tree.InlineTableDefault2Context,
  tree.InlineTableContext,
  tree.TableValuedFunctionContext,
  tree.TableFunctionCallWithTrailingClausesContext,
  tree.TableFunctionCallContext,
  tree.FunctionTableArgumentContext,
  tree.TableAliasContext,
  tree.LateralViewContext,
  tree.SampleContext,
  tree.SampleByPercentileContext,
  tree.SampleByRowsContext,
  tree.PivotClauseContext,
  tree.PivotColumnContext,
  tree.PivotValueContext,
  tree.UnpivotClauseContext,
  tree.UnpivotNullClauseContext,
  tree.UnpivotOperatorContext,
  tree.UnpivotSingleValueColumnClauseContext,
  tree.UnpivotMultiValueColumnClauseContext,
  tree.UnpivotColumnSetContext,
  tree.UnpivotValueColumnContext,
  tree.UnpivotNameColumnContext,
  tree.UnpivotColumnAndAliasContext,
  tree.UnpivotColumnContext,
  tree.UnpivotAliasContext,
];

const expressions = [
  tree.ExpressionContext,
  tree.LogicalNotContext,
  tree.ExistsContext,
  tree.PredicatedContext,
  tree.LogicalBinaryContext,
  tree.PredicateContext,
  tree.ErrorCapturingNotContext,
  tree.ValueExpressionDefaultContext,
  tree.ArithmeticUnaryContext,
  tree.ArithmeticBinaryContext,
  tree.ShiftExpressionContext,
  tree.ShiftOperatorContext,
  tree.ComparisonContext,
  tree.ComparisonOperatorContext,
  tree.CurrentLikeContext,
  tree.TimestampaddContext,
  tree.TimestampdiffContext,
  tree.DatetimeUnitContext,
  tree.SearchedCaseContext,
  tree.SimpleCaseContext,
  tree.WhenClauseContext,
  tree.CastContext,
  tree.CastByColonContext,
  tree.StructContext,
  tree.FirstContext,
  tree.Any_valueContext,
  tree.LastContext,
  tree.PositionContext,
  tree.ConstantDefaultContext,
  tree.StarContext,
  tree.RowConstructorContext,
  tree.SubqueryExpressionContext,
  tree.FunctionCallContext,
  tree.FunctionNameContext,
  tree.FunctionArgumentContext,
  tree.LambdaContext,
  tree.SubscriptContext,
  tree.ColumnReferenceContext,
  tree.DereferenceContext,
  tree.ParenthesizedExpressionContext,
  tree.ExtractContext,
  tree.SubstringContext,
  tree.TrimContext,
  tree.OverlayContext,
];

const constants = [
  tree.NullLiteralContext,
  tree.PosParameterLiteralContext,
  tree.NamedParameterLiteralContext,
  tree.NamedParameterMarkerContext,
  tree.IntervalLiteralContext,
  tree.TypeConstructorContext,
  tree.LiteralTypeContext,
  tree.NumericLiteralContext,
  tree.BooleanLiteralContext,
  tree.BooleanValueContext,
  tree.StringLiteralContext,
  tree.StringLitContext,
  tree.SingleStringLitContext,
  tree.SingleStringLiteralValueContext,
  tree.IntervalContext,
  tree.ErrorCapturingMultiUnitsIntervalContext,
  tree.MultiUnitsIntervalContext,
  tree.ErrorCapturingUnitToUnitIntervalContext,
  tree.UnitToUnitIntervalContext,
  tree.IntervalValueContext,
  tree.UnitInMultiUnitsContext,
  tree.UnitInUnitToUnitContext,
  tree.ExponentLiteralContext,
  tree.DecimalLiteralContext,
  tree.IntegerLiteralContext,
  tree.BigIntLiteralContext,
  tree.SmallIntLiteralContext,
  tree.TinyIntLiteralContext,
  tree.DoubleLiteralContext,
  tree.FloatLiteralContext,
  tree.BigDecimalLiteralContext,
  tree.IntegerValContext,
];

const types = [
  tree.ComplexDataTypeContext,
  tree.PrimitiveDataTypeContext,
  tree.PrimitiveTypeContext,
  tree.TrivialPrimitiveTypeContext,
  tree.NonTrivialPrimitiveTypeContext,
  tree.WithLocalTimeZoneContext,
  tree.WithoutTimeZoneContext,
  tree.ComplexColTypeListContext,
  tree.ComplexColTypeContext,
];

const names = [
  tree.IdentifierReferenceContext,
  tree.MultipartIdentifierContext,
  tree.MultipartIdentifierListContext,
  tree.QualifiedNameContext,
  tree.ErrorCapturingIdentifierContext,
  tree.RealIdentContext,
  tree.IdentifierContext,
  tree.SimpleIdentifierContext,
  tree.UnquotedIdentifierContext,
  tree.QuotedIdentifierAlternativeContext,
  tree.SimpleUnquotedIdentifierContext,
  tree.SimpleQuotedIdentifierAlternativeContext,
  tree.QuotedIdentifierContext,
  tree.StrictNonReservedContext,
  tree.NonReservedContext,
  tree.IdentifierListContext,
  tree.IdentifierSeqContext,
];

const allowed: ReadonlySet<unknown> = new Set<unknown>([
  ...statement,
  ...queries,
  ...relations,
  ...expressions,
  ...constants,
  ...types,
  ...names,
]);

export function isAllowedNode(node: ParserRuleContext): boolean {
  return allowed.has(node.constructor);
}

/** What people may try that is not offered, and what to do instead. */
const explained = new Map<unknown, readonly [detail: string, hint: string]>([
  [
    tree.TransformQuerySpecificationContext,
    [
      'Statements start no programs: TRANSFORM, MAP and REDUCE … USING are not offered.',
      'Use functions on columns.',
    ],
  ],
  [
    tree.TransformClauseContext,
    [
      'Statements start no programs: TRANSFORM, MAP and REDUCE … USING are not offered.',
      'Use functions on columns.',
    ],
  ],
  [tree.FromStmtContext, ['A query cannot begin with FROM.', 'Write SELECT … FROM ….']],
  [
    tree.OperatorPipeStatementContext,
    ['The operator |> is not offered.', 'Write the steps as subqueries or with WITH.'],
  ],
  [tree.HintContext, ['Hints are not offered.', 'Remove the hint: Spark plans the statement by itself.']],
  [
    tree.TemporalClauseContext,
    ['VERSION AS OF and TIMESTAMP AS OF are not offered.', 'Name the version of a frame: `trades@3`.'],
  ],
  [tree.OptionsClauseContext, ['A table takes no options.', 'Remove WITH (…) behind its name.']],
  [tree.StreamRelationContext, ['Streams are not offered.', 'Name a frame.']],
  [tree.ChangelogTableNameContext, ['CHANGES is not offered.', 'Name the version of a frame: `trades@3`.']],
  [tree.WatermarkClauseContext, ['WATERMARK is for streams, which are not offered.', 'Remove it.']],
  [tree.NearestByClauseContext, ['NEAREST … BY is not offered.', 'Use row_number() over the distance.']],
  [
    tree.SampleByBucketContext,
    ['TABLESAMPLE by buckets is not offered.', 'Write TABLESAMPLE (10 PERCENT) or (100 ROWS).'],
  ],
  [
    tree.SampleByBytesContext,
    ['TABLESAMPLE by bytes is not offered.', 'Write TABLESAMPLE (10 PERCENT) or (100 ROWS).'],
  ],
  [tree.IdentifierLiteralContext, ['IDENTIFIER(…) is not offered.', 'Write the name itself.']],
  [
    tree.FunctionTableReferenceArgumentContext,
    ['A table cannot be an argument of a function.', 'Put a subquery into FROM.'],
  ],
  [tree.NamedArgumentExpressionContext, ['Arguments cannot be given by name.', 'Give them in their order.']],
  [tree.CollateContext, ['COLLATE is not offered.', 'Compare lower(…) of both texts.']],
  [tree.CollateClauseContext, ['COLLATE is not offered.', 'Compare lower(…) of both texts.']],
  [
    tree.SemiStructuredExtractContext,
    [
      'The operator : is not offered.',
      "Use variant_get(column, '$.path', 'type') or get_json_object(column, '$.path').",
    ],
  ],
  [
    tree.NamedParameterMarkerRuleContext,
    ['A parameter can only be where a value can be.', 'Write the value itself here.'],
  ],
  [
    tree.PositionalParameterMarkerRuleContext,
    ['A parameter can only be where a value can be.', 'Write the value itself here.'],
  ],
  [
    tree.ParameterIntegerValueContext,
    ['A parameter can only be where a value can be.', 'Write the number itself here.'],
  ],
]);

export function explainNode(node: ParserRuleContext): readonly [detail: string, hint: string | undefined] {
  const found = explained.get(node.constructor);
  if (found !== undefined) return found;
  const what = node.constructor.name.replace(/Context$/, '');
  return [`The statement has a part that is not allowed (${what}).`, 'Only queries over frames are run.'];
}
