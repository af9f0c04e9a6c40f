/** What others assigned of a deposit while somebody's form to assign it was open. */
import { compareAmounts } from '@kontor/client'
import { Alert } from 'antd'
import type { ReactNode } from 'react'
import { Who } from '../../action/conflict.tsx'
import { useGet } from '../../api/query.ts'
import { Trans } from '../../language/index.ts'
import { Amount, Name, Time } from '../../parts/values.tsx'
import { isLive, openRest } from './open-rest.ts'
import type { Deposit } from './open-rest.ts'

/** As it is now: the page behind the form is told of every change. */
export function useDepositNow(opened: Deposit): Deposit {
  const { data } = useGet('/treasury/deposits/{deposit_id}', {
    params: { deposit_id: opened.id },
  })
  return data ?? opened
}

export function AssignedMeanwhile({ deposit }: { deposit: Deposit }): ReactNode {
  const now = useDepositNow(deposit)
  const isChanged = compareAmounts(openRest(now), openRest(deposit)) !== 0
  const { data = [] } = useGet(
    '/treasury/deposits/{deposit_id}/assignments',
    { params: { deposit_id: deposit.id } },
    { enabled: isChanged },
  )
  const theirs = data.filter(
    (assignment) => assignment.system_created_at > deposit.system_updated_at && isLive(assignment),
  )
  if (!isChanged || theirs.length === 0) return null
  return (
    <Alert
      type="warning"
      showIcon
      role="alert"
      className="failure"
      title={theirs.map(
        ({ id, quantity, asset, account_id, system_created_by: by, system_created_at: at }) => (
          <div key={id}>
            <Trans
              i18nKey="<who/> assigned <amount/> to <name/> at <time/>, while your form was open"
              components={{
                who: <Who id={by} />,
                amount: <Amount value={quantity} asset={asset} />,
                name: <Name of="account" id={account_id} />,
                time: <Time at={at} short />,
              }}
            />
          </div>
        ),
      )}
    />
  )
}

/** How much of it nobody has, as it is now. */
export function OpenAmount({ deposit }: { deposit: Deposit }): ReactNode {
  const now = useDepositNow(deposit)
  return <Amount value={openRest(now)} asset={now.asset} />
}
