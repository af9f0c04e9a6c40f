/** What was rectified of a deposit or a withdrawal. */
import type { ReactNode } from 'react'
import { useNames } from '../../api/names.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'

export function RectificationsOfDeposit({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useGet('/treasury/deposits/{deposit_id}/rectifications', {
    params: { deposit_id: id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  return data === undefined ? <Loading /> : <Rectifications rows={data} />
}

export function RectificationsOfWithdrawal({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useGet('/treasury/withdrawals/{withdrawal_id}/rectifications', {
    params: { withdrawal_id: id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  return data === undefined ? <Loading /> : <Rectifications rows={data} />
}

type Rectification = {
  id: string
  reason: string
  note: string | null
  origins: readonly string[]
  targets: readonly { account_id: string; quantity: string; asset: string }[]
  system_created_at: number
}

function Rectifications({ rows }: { rows: readonly Rectification[] }): ReactNode {
  const names = useNames('account')
  return (
    <Rows
      label={t('Rectifications')}
      rows={rows}
      keyOf={(row) => row.id}
      empty={
        <Empty title={t('No rectifications')}>
          {t('Use Rectify to reverse a wrong assignment and book it to another account.')}
        </Empty>
      }
      columns={[
        { key: 'system_created_at', title: t('When'), kind: 'time' },
        {
          key: 'reason',
          title: t('Reason'),
          value: (row) => `${inWords(row.reason)}${row.note === null ? '' : `: ${row.note}`}`,
          width: 220,
        },
        {
          key: 'origins',
          title: t('Reversed'),
          value: (row) => row.origins.length,
          kind: 'number',
          width: 100,
        },
        {
          key: 'targets',
          title: t('Reassigned to'),
          value: (row) =>
            row.targets
              .map(({ quantity, asset, account_id }) => {
                const account = names.get(account_id) ?? account_id
                return t('{{quantity}} {{asset}} for {{account}}', { quantity, asset, account })
              })
              .join(', '),
          width: 320,
        },
      ]}
    />
  )
}
