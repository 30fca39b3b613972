import './provenance.css';
import { href } from '../../shell/router.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { now } from '../../ui/clock.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { agoText, plural } from '../../ui/format.ts';
import type { FrameState } from './frame-state.ts';
import { originText } from './origin-text.ts';

const boxPx = { width: 190, height: 44 };
const gapPx = { across: 70, down: 14 };
/** More boxes than this are a wall, not a picture; the list below the picture has all of them. */
const boxesMax = 12;

/** Where the rows come from: sources → statement → this version. */
export function ProvenanceTab({ frame }: { readonly frame: FrameState }) {
  const { manifest } = frame;
  const { origin, handle } = manifest;
  const query = origin.query;
  const sources = query?.sources ?? [];
  const inputs = sources.slice(0, boxesMax).map((source) => ({
    title: source,
    detail: 'frame',
    href: href('frames', source, 'rows'),
  }));
  const step =
    query !== undefined
      ? { title: 'SQL statement', detail: plural(sources.length, 'source') }
      : origin.kind === 'restored'
        ? {
            title: `Version ${origin.from}`,
            detail: 'restored',
            href: href('frames', `${manifest.name}@${origin.from}`, 'rows'),
          }
        : { title: origin.kind === 'append' ? 'Append' : 'Upload', detail: formatText(origin) };
  return (
    <div class="frame-page">
      <div class="card provenance">
        <Graph
          inputs={inputs}
          step={step}
          result={{ title: handle, detail: agoText(manifest.createdAt, now.value) }}
          label={`${handle}: ${originText(origin)}${sources.length > 0 ? `, from ${sources.join(', ')}` : ''}`}
        />
      </div>
      {query !== undefined && (
        <section class="stack" aria-label="Statement">
          <div class="snippet-title">
            <h2>Statement</h2>
            <ButtonLink kind="quiet" icon="query" href={href('query', null, null, { sql: query.text })}>
              Open in the editor
            </ButtonLink>
          </div>
          <div class="snippet">
            <pre tabIndex={0}>{query.text}</pre>
            <CopyButton text={query.text} label="Copy the statement" />
          </div>
        </section>
      )}
      {sources.length > boxesMax && (
        <section aria-label="Sources">
          <h2>All {sources.length} sources</h2>
          <ul class="source-list">
            {sources.map((source) => (
              <li key={source}>
                <a class="mono" href={href('frames', source, 'rows')}>
                  {source}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {origin.text !== undefined && (
        <section class="stack" aria-label="How the text was read">
          <h2>How the text was read</h2>
          <dl class="diff">
            {Object.entries(origin.text).map(([key, value]) => [
              <dt key={`${key}-label`}>{key}</dt>,
              <dd key={key} class="mono">
                {value === '\t' ? 'tab' : String(value)}
              </dd>,
            ])}
          </dl>
        </section>
      )}
    </div>
  );
}

function formatText({ format }: { readonly format: string }): string {
  return format === 'flight' ? 'Arrow Flight' : format;
}

interface Box {
  readonly title: string;
  readonly detail: string;
  readonly href?: string;
}

function Graph({
  inputs,
  step,
  result,
  label,
}: {
  readonly inputs: readonly Box[];
  readonly step: Box;
  readonly result: Box;
  readonly label: string;
}) {
  const columns = inputs.length > 0 ? 3 : 2;
  const rows = Math.max(inputs.length, 1);
  const width = columns * boxPx.width + (columns - 1) * gapPx.across + 2;
  const height = rows * boxPx.height + (rows - 1) * gapPx.down + 2;
  const middle = (height - boxPx.height) / 2;
  const xOf = (column: number) => 1 + column * (boxPx.width + gapPx.across);
  const inputTop = (index: number) => 1 + index * (boxPx.height + gapPx.down);
  const stepColumn = columns - 2;
  return (
    <figure class="graph-figure">
      {/* Links inside keep their own names, so the picture is a group and not an image. */}
      <svg
        class="graph"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={label}
      >
        {inputs.map((input, index) => (
          <Arrow
            key={input.title}
            from={[xOf(0) + boxPx.width, inputTop(index) + boxPx.height / 2]}
            to={[xOf(1), middle + boxPx.height / 2]}
          />
        ))}
        <Arrow
          from={[xOf(stepColumn) + boxPx.width, middle + boxPx.height / 2]}
          to={[xOf(stepColumn + 1), middle + boxPx.height / 2]}
        />
        {inputs.map((input, index) => (
          <BoxShape key={input.title} box={input} x={xOf(0)} y={inputTop(index)} />
        ))}
        <BoxShape box={step} x={xOf(stepColumn)} y={middle} kind="is-step" />
        <BoxShape box={result} x={xOf(stepColumn + 1)} y={middle} kind="is-result" />
      </svg>
    </figure>
  );
}

function Arrow({
  from,
  to,
}: {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}) {
  const half = (from[0] + to[0]) / 2;
  return (
    <g class="graph-arrow">
      <path d={`M${from[0]} ${from[1]}C${half} ${from[1]} ${half} ${to[1]} ${to[0] - 2} ${to[1]}`} />
      <path d={`M${to[0] - 8} ${to[1] - 4}L${to[0] - 1} ${to[1]}L${to[0] - 8} ${to[1] + 4}`} />
    </g>
  );
}

function BoxShape({
  box,
  x,
  y,
  kind = '',
}: {
  readonly box: Box;
  readonly x: number;
  readonly y: number;
  readonly kind?: string;
}) {
  const title = box.title.length > 25 ? `${box.title.slice(0, 24)}…` : box.title;
  const content = (
    <g class={`graph-box ${kind}`}>
      <rect x={x} y={y} width={boxPx.width} height={boxPx.height} rx={6} />
      <text x={x + 12} y={y + 19} class="graph-title">
        {title}
      </text>
      <text x={x + 12} y={y + 34} class="graph-detail">
        {box.detail}
      </text>
      <title>{box.title}</title>
    </g>
  );
  return box.href === undefined ? content : <a href={box.href}>{content}</a>;
}
