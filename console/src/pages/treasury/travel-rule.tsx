/** The data that travel with coins: what was given, by whom, and what is missing. */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { filledJson } from '../administration/declaration-fields.ts'
import type { ActionPlan } from '../../action/plan.ts'
import { useGet, useMay } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import type { Withdrawal } from './assign.tsx'

const PATH = '/treasury/withdrawals/{withdrawal_id}/travel-rule'
type State = DataOf<'get', typeof PATH>
type Given = State['data'][number]

const versionOf = ({ ivms101_2023, ivms101_2020 }: Given): string => {
  if (ivms101_2023 !== null) return 'IVMS101.2023'
  return ivms101_2020 === null ? t('Erased') : 'IVMS 101 (2020)'
}

const FIELDS = ['ivms101_2023', 'ivms101_2020'] as const

/** The data as the API takes them, in the one version or the other. */
export const giveTravelRule: ActionPlan<'post', typeof PATH, Withdrawal> = {
  label: t('Give travel-rule data'),
  permission: 'travel-rule.write',
  width: 720,
  why: ({ state, submitted_at }) =>
    (state === 'PENDING' || state === 'PENDING_APPROVAL') && submitted_at === null
      ? undefined
      : t('The withdrawal is already being sent, or has ended'),
  explain: () =>
    t(
      'Who sends the coins and who gets them, as JSON in one version of IVMS 101. They take the ' +
        'place of what was given before. A withdrawal that waits for them goes on once nothing ' +
        'is missing. The tab Travel rule shows a draft.',
    ),
  fields: [
    {
      name: 'version',
      label: t('Version'),
      kind: 'words',
      required: true,
      options: [
        { value: FIELDS[0], label: 'IVMS101.2023' },
        { value: FIELDS[1], label: 'IVMS 101 (2020)' },
      ],
    },
    { name: 'data', label: t('Data'), kind: 'lines', required: true },
  ],
  initial: () => ({ version: FIELDS[0] }),
  method: 'post',
  path: PATH,
  request: ({ id }, { version, data }) => ({
    params: { withdrawal_id: id },
    body: { [String(version)]: filledJson(data, t('Data')) },
  }),
  done: () => t('Travel-rule data given'),
}

export function TravelRule({ withdrawal }: { withdrawal: Withdrawal }): ReactNode {
  const may = useMay('travel-rule.read')
  const { data, error, refetch } = useGet(
    PATH,
    { params: { withdrawal_id: withdrawal.id } },
    { enabled: may },
  )
  if (!may) return <Empty title={t('Not permitted for you')} />
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  const { required, missing, data: given, draft, draft_missing } = data
  return (
    <>
      {!required && <p>{t('No travel-rule data are needed for it.')}</p>}
      {missing.length > 0 && (
        <p>
          {t('Missing')}: {missing.join('; ')}
        </p>
      )}
      <Rows
        label={t('Travel-rule data')}
        rows={given}
        keyOf={({ id }) => id}
        empty={<Empty title={t('None given yet')} />}
        columns={[
          { key: 'system_created_at', title: t('Given'), kind: 'time' },
          { key: 'system_created_by', title: t('Given by'), kind: 'user' },
          { key: 'id', title: t('Version'), value: versionOf },
        ]}
      />
      {given.slice(0, 1).map(({ id, ivms101_2023, ivms101_2020 }) => (
        <pre key={id} tabIndex={0}>
          {JSON.stringify(ivms101_2023 ?? ivms101_2020, null, 2)}
        </pre>
      ))}
      {given.length === 0 && (
        <>
          <p>
            {t('What the records of customers have. They lack: {{what}}', {
              what: draft_missing.join('; '),
            })}
          </p>
          <pre tabIndex={0}>{JSON.stringify(draft, null, 2)}</pre>
        </>
      )}
    </>
  )
}
