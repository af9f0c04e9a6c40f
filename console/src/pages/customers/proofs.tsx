/** The files by which a customer checks alone that they are counted in a proof of segregation. */
import type { ReactNode } from 'react'
import { client } from '../../api/session.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { saveBlob } from '../../parts/files.ts'
import { SaveButton } from '../../parts/save-button.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'

/** Enough for a proof a day. */
const SHOWN = '400'

export function Proofs({ account_id, label }: { account_id: string; label: string }): ReactNode {
  const { data, error, refetch } = useGet('/proofs', { query: { limit: SHOWN } })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <Rows
      label={t('Proofs')}
      rows={data}
      keyOf={(row) => row.id}
      empty={
        <Empty title={t('No proofs yet')}>
          {t('A proof shows what customers own beside what is held for them.')}
        </Empty>
      }
      columns={[
        { key: 'system_created_at', title: t('Made'), kind: 'time' },
        { key: 'sequence', title: t('Last booking'), kind: 'number', width: 120 },
        {
          key: 'file',
          title: t('File'),
          render: ({ id, sequence }) => (
            <SaveButton
              label={t('Proof of the customer')}
              title={t('Download what the customer checks alone')}
              save={() =>
                save(
                  { proof_id: id, account_id },
                  t('Proof {{sequence}} {{label}}', { sequence, label }),
                )
              }
            />
          ),
          width: 220,
        },
      ]}
    />
  )
}

async function save(params: { proof_id: string; account_id: string }, name: string): Promise<void> {
  const file = await client().get('/proofs/{proof_id}/accounts/{account_id}', { params })
  if (file.balances.length === 0) throw new Error(t('The customer had nothing at that time'))
  saveBlob(name, 'json', new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }))
}
