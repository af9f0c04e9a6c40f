/** What stands in the head of every list. */
import { ReloadOutlined } from '@ant-design/icons'
import { Button, Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { useLiveness } from '../api/events.ts'
import { t } from '../language/index.ts'
import { countText } from '../parts/number-format.ts'

export function RefreshButton({ refresh }: { refresh(): void }): ReactNode {
  return (
    <Tooltip title={t('Refresh')}>
      <Button size="small" aria-label={t('Refresh')} icon={<ReloadOutlined />} onClick={refresh} />
    </Tooltip>
  )
}

export const NewerButton = ({ refresh }: { refresh(): void }): ReactNode => (
  <Button size="small" onClick={refresh}>
    {t('Newer rows available: refresh')}
  </Button>
)

export function Count({
  rows,
  complete,
  sorting,
}: {
  rows: number
  complete: boolean
  sorting: boolean
}): ReactNode {
  const number = countText(rows)
  const loaded = complete ? number : t('{{number}} loaded', { number })
  return (
    <span className="count" role="status">
      {sorting ? t('loading all rows to sort: {{number}} …', { number }) : loaded}
    </span>
  )
}

export function LiveMark(): ReactNode {
  const liveness = useLiveness()
  const words = {
    starting: t('Connecting'),
    live: t('Live: changes appear at once'),
    off: t('Refreshed every 15 seconds. Live updates need the permission events.read'),
    away: t('Kontor does not answer'),
  }[liveness]
  return (
    <Tooltip title={words}>
      <span className={`liveness ${liveness}`} role="img" aria-label={words} />
    </Tooltip>
  )
}
