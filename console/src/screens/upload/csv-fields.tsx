import type { CsvOptions, ImportReport, UploadFormat } from '@framehold/client';
import { SelectField, TextField } from '../../ui/field.tsx';

const delimiters = [
  { value: ',', label: 'Comma ,' },
  { value: ';', label: 'Semicolon ;' },
  { value: '\t', label: 'Tab' },
  { value: '|', label: 'Pipe |' },
];

const charsets = ['utf-8', 'utf-16', 'utf-16be', 'windows-1252', 'iso-8859-1'];

/** How the text is read. Nothing chosen: as the server finds it. */
export function CsvFields({
  format,
  csv,
  report,
  onChange,
}: {
  readonly format: UploadFormat;
  readonly csv: CsvOptions;
  readonly report: ImportReport | null;
  readonly onChange: (csv: CsvOptions) => void;
}) {
  const set = (key: keyof CsvOptions, value: string) => {
    const { [key]: _, ...others } = csv;
    onChange(value === '' ? others : { ...others, [key]: value });
  };
  const charset = (
    <SelectField
      label="Characters"
      value={csv.charset ?? ''}
      choices={[
        { value: '', label: `Found: ${report?.text?.charset ?? 'utf-8'}` },
        ...charsets.map((value) => ({ value, label: value })),
      ]}
      onChoose={(value) => set('charset', value)}
    />
  );
  if (format === 'json' || format === 'ndjson') return charset;
  const found = report?.text?.delimiter;
  const foundName = found === '\t' ? 'tab' : found;
  return (
    <div class="upload-options">
      {format === 'csv' && (
        <SelectField
          label="Delimiter"
          value={csv.delimiter ?? ''}
          choices={[
            { value: '', label: foundName === undefined ? 'Found in the file' : `Found: ${foundName}` },
            ...delimiters,
          ]}
          onChoose={(value) => set('delimiter', value)}
        />
      )}
      {charset}
      <SelectField
        label="Decimal mark"
        value={csv.decimal ?? ''}
        choices={[
          { value: '', label: '1.5' },
          { value: ',', label: '1,5' },
        ]}
        onChoose={(value) => set('decimal', value)}
      />
      <SelectField
        label="Thousands"
        value={csv.thousands ?? ''}
        choices={[
          { value: '', label: '1000' },
          { value: ',', label: '1,000' },
          { value: '.', label: '1.000' },
          { value: ' ', label: '1 000' },
          { value: "'", label: "1'000" },
          { value: '_', label: '1_000' },
        ]}
        onChoose={(value) => set('thousands', value)}
      />
      <SelectField
        label="Dates"
        value={csv.dates ?? ''}
        choices={[
          { value: '', label: '2024-12-31' },
          { value: 'dmy', label: '31.12.2024' },
          { value: 'mdy', label: '12/31/2024' },
          { value: 'ymd', label: '2024/12/31' },
        ]}
        onChoose={(value) => set('dates', value)}
      />
      <TextField
        label="Text for null"
        value={csv.null ?? ''}
        placeholder="an empty field"
        onText={(value) => set('null', value)}
      />
    </div>
  );
}
