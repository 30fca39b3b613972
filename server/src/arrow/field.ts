/** Arrow's types and fields, as the model has them. */
export type * from '../model/types/field.ts';
