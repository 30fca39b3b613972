import { required, wholeNumber } from '../../request/parameters.ts';
import { manifestAnswer, nameParameter } from './frames-schema.ts';

export const restoreParameters = {
  version: required(wholeNumber('version', 'The version whose rows come back.')),
};

export const restoreSchema = {
  operationId: 'restoreVersion',
  tags: ['frames'],
  summary: 'Make an earlier version the newest',
  params: nameParameter,
  response: { 200: manifestAnswer('The rows are the newest version') },
} as const;

export const undropSchema = {
  operationId: 'undropFrame',
  tags: ['frames'],
  summary: 'Undo the drop of a frame',
  params: nameParameter,
  response: { 200: manifestAnswer('The frame is back') },
} as const;
