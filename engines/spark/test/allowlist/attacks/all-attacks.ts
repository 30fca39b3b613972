import type { Attack } from './attack.ts';
import { changes } from './changes.ts';
import { codeOfTheServer } from './code-of-the-server.ts';
import { commands } from './commands.ts';
import { files } from './files.ts';
import { names } from './names.ts';
import { otherBuckets } from './other-buckets.ts';
import { parametersInWrongPlaces } from './parameters-in-wrong-places.ts';
import { parsersOfDocuments } from './parsers-of-documents.ts';
import { programs } from './programs.ts';
import { settings } from './settings.ts';
import { unicodeAndLexing } from './unicode-and-lexing.ts';
import { variablesOfTheServer } from './variables-of-the-server.ts';

export const allAttacks: Readonly<Record<string, readonly Attack[]>> = {
  files,
  'other buckets': otherBuckets,
  'variables of the server': variablesOfTheServer,
  settings,
  programs,
  'code of the server': codeOfTheServer,
  'parsers of documents': parsersOfDocuments,
  commands,
  changes,
  names,
  'unicode and lexing': unicodeAndLexing,
  'parameters in wrong places': parametersInWrongPlaces,
};
