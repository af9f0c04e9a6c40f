import { Button, Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { openDialog } from '../action/dialogs.tsx'
import { useMay } from '../api/query.ts'
import { t } from '../language/index.ts'
import type { Choice } from '../list/choice.tsx'
import { ManyDialog } from './many-dialog.tsx'
import type { ManyPlan, Task } from './plan.ts'

/** Nobody reads more before they confirm. */
const MAXIMUM = 200

/** Not there for whom it is refused anyway. */
export function ManyButton<Row extends { id: string }, One extends Task>({
  plan,
  chosen: { rows, unchoose },
}: {
  plan: ManyPlan<Row, One>
  chosen: Pick<Choice<Row>, 'rows' | 'unchoose'>
}): ReactNode {
  const may = useMay(plan.permission)
  if (!may) return null
  const reason =
    rows.length > MAXIMUM ? t('At most {{maximum}} at once', { maximum: MAXIMUM }) : undefined
  return (
    <Tooltip title={reason}>
      <Button
        size="small"
        danger={plan.danger === true}
        aria-disabled={reason !== undefined}
        className={reason === undefined ? '' : 'cannot'}
        onClick={() => {
          if (reason === undefined)
            openDialog((close) => (
              <ManyDialog plan={plan} rows={rows} close={close} unchoose={unchoose} />
            ))
        }}
        {...(reason === undefined ? {} : { 'aria-description': reason })}
      >
        {plan.label}
      </Button>
    </Tooltip>
  )
}
