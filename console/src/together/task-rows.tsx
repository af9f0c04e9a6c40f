/** Every record of an action for many: what will happen with it, then what became of it. */
import type { ReactNode } from 'react'
import type { Values } from '../action/plan.ts'
import { t } from '../language/index.ts'
import type { Column } from '../list/columns.tsx'
import { Rows } from '../list/grid.tsx'
import { totalsOf } from '../list/sums.ts'
import { Amount } from '../parts/values.tsx'
import type { ManyPlan, Task } from './plan.ts'
import type { Outcome, Run } from './run.ts'

/** How many, and how much. */
export function Foretold<Row extends { id: string }, One extends Task>({
  plan: { counted, amount = ({ quantity }) => quantity },
  tasks,
}: {
  plan: ManyPlan<Row, One>
  tasks: readonly One[]
}): ReactNode {
  const sums = totalsOf([{ label: '', amount, asset: ({ asset }) => asset }], tasks)
  return (
    <p className="together-sum">
      <strong>{counted(tasks.length)}</strong>{' '}
      {sums.map((sum) => (
        <Amount key={sum.asset} value={sum.amount} asset={sum.asset} />
      ))}
    </p>
  )
}

export function TaskRows<Row extends { id: string }, One extends Task>({
  plan,
  run: { tasks, outcomes },
  values,
}: {
  plan: ManyPlan<Row, One>
  run: Run<One>
  /** Undefined until they are filled in. */
  values: Values | undefined
}): ReactNode {
  const begun = outcomes.size > 0
  const last: Column<One> = {
    key: 'outcome',
    title: begun ? t('Outcome') : t('What happens'),
    render: (task) => {
      const outcome = outcomes.get(task.id)
      const reason = plan.why?.(task)
      if (outcome !== undefined) return <Became outcome={outcome} reason={reason} />
      if (reason !== undefined)
        return <span className="left-out">{t('Left out: {{reason}}', { reason })}</span>
      if (begun) return <span className="left-out">{t('Not sent yet')}</span>
      return values === undefined ? null : plan.what(task, values)
    },
  }
  return (
    <div className="together-rows">
      <Rows
        label={begun ? t('What became of them') : t('To be confirmed')}
        columns={[...plan.columns, last]}
        rows={tasks}
        keyOf={({ id }) => id}
      />
    </div>
  )
}

/** `reason`: why it cannot be done any more, now that it was read again. */
function Became({ outcome, reason }: { outcome: Outcome; reason: string | undefined }): ReactNode {
  switch (outcome.state) {
    case 'sending':
      return <span className="status busy">{t('Being done')}</span>
    case 'done':
      return <span className="status good">{t('Done')}</span>
    case 'refused':
      return (
        <span className="refusal" title={outcome.words}>
          {reason ?? outcome.words}
        </span>
      )
  }
}
