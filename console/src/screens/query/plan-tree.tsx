import { useLayoutEffect, useRef } from 'preact/hooks';
import { countText, durationText } from '../../ui/format.ts';
import { type Plan, type PlanStep, slowestMs } from './plan.ts';

/** A query plan: each step above those that feed it. A bar shows where the time goes. */
export function PlanTree({ plan }: { readonly plan: Plan }) {
  if (plan.text !== null)
    return (
      <pre class="plan-text" tabIndex={0}>
        {plan.text}
      </pre>
    );
  const slowest = slowestMs(plan.steps);
  return (
    <div class="plan" tabIndex={0} role="region" aria-label="Query plan">
      <p class="muted plan-summary">
        {plan.totalMs === null
          ? 'How the statement would run. Rows are estimates.'
          : `It took ${stepTime(plan.totalMs)}. Times are those of each step alone, summed over its threads.`}
      </p>
      <Steps steps={plan.steps} slowest={slowest} isMeasured={plan.totalMs !== null} />
    </div>
  );
}

interface StepsProps {
  readonly steps: readonly PlanStep[];
  readonly slowest: number;
  readonly isMeasured: boolean;
}

function Steps({ steps, slowest, isMeasured }: StepsProps) {
  return (
    <ul class="plan-steps">
      {steps.map((step, index) => (
        <li key={index}>
          <Step step={step} slowest={slowest} isMeasured={isMeasured} />
          {step.steps.length > 0 && <Steps steps={step.steps} slowest={slowest} isMeasured={isMeasured} />}
        </li>
      ))}
    </ul>
  );
}

function Step({ step, slowest, isMeasured }: { readonly step: PlanStep } & Omit<StepsProps, 'steps'>) {
  const bar = useRef<HTMLSpanElement>(null);
  const share = step.timeMs === null || slowest === 0 ? 0 : step.timeMs / slowest;
  useLayoutEffect(() => {
    bar.current?.style.setProperty('width', `${(share * 100).toFixed(1)}%`);
  }, [share]);
  const facts = (
    <span class="plan-facts numeric">
      {step.rows !== null && <span>{`${isMeasured ? '' : '~'}${countText(step.rows)} rows`}</span>}
      {step.timeMs !== null && (
        <span class="plan-time">
          <span class="plan-bar" aria-hidden="true">
            <span ref={bar} />
          </span>
          {stepTime(step.timeMs)}
        </span>
      )}
    </span>
  );
  if (step.details.length === 0)
    return (
      <div class="plan-step">
        <span class="plan-name">{step.name}</span>
        {facts}
      </div>
    );
  return (
    <details class="plan-step" open={share > 0.5}>
      <summary>
        <span class="plan-name">{step.name}</span>
        <span class="plan-first clip muted">{mainDetail(step)}</span>
        {facts}
      </summary>
      <dl class="plan-details">
        {step.details.map(([name, texts]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {texts.map((text, index) => (
                <code key={index}>{text}</code>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** What tells a step from others of its kind. */
const mainDetails = [
  'Table',
  'Filters',
  'Expression',
  'Conditions',
  'Groups',
  'Aggregates',
  'Order By',
  'Projections',
];

function mainDetail({ details }: PlanStep): string {
  for (const wanted of mainDetails) {
    const found = details.find(([name]) => name === wanted);
    if (found !== undefined) return found[1].join(', ');
  }
  return details[0]?.[1].join(', ') ?? '';
}

/** Steps are often shorter than a millisecond. */
function stepTime(ms: number): string {
  return ms >= 10 ? durationText(ms) : `${ms.toPrecision(2)} ms`;
}
