/** What waits for approval: who may approve, who has, and what is missing. */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { filledTexts } from '../../action/filled.ts'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { sentenceOf } from '../../parts/refusal-words.ts'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount, Name, NOTHING } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section } from '../../record/record.tsx'
import { askedSection } from './asked.tsx'
import { askedWords, changedPlace, COMMANDS, resultPlace } from './asked-words.ts'

type Approval = RowOf<'/approvals'>
type ApprovalInDetail = DataOf<'get', '/approvals/{approval_id}'>
type Group = Approval['groups'][number]

const whyNot = ({ state }: Approval): string | undefined =>
  state === 'PENDING' ? undefined : t('It does not wait for approval any more')

const NOTE = { name: 'note', label: t('Note'), kind: 'lines' } as const

const decide: ActionPlan<'post', '/approvals/{approval_id}/decision', Approval> = {
  label: t('Decide'),
  title: askedWords,
  permission: 'approvals.decide',
  why: whyNot,
  explain: () =>
    t(
      'With the last approval it is done exactly as it was asked for. One rejection ends it. ' +
        'Who asked for it does not decide about it.',
    ),
  fields: [
    {
      name: 'decision',
      label: t('Decision'),
      kind: 'words',
      required: true,
      options: [
        { value: 'APPROVE', label: t('Approve') },
        { value: 'REJECT', label: t('Reject') },
      ],
    },
    NOTE,
  ],
  method: 'post',
  path: '/approvals/{approval_id}/decision',
  request: ({ id, version }, { decision, ...more }) => ({
    params: { approval_id: id },
    body: { decision: decision as 'APPROVE' | 'REJECT', version, ...filledTexts(more) },
  }),
  confirm: ({ asset, quantity, requested_by, reason, ...asked }, { decision }) => [
    { label: t('Decision'), value: decision === 'APPROVE' ? t('Approve') : t('Reject') },
    { label: t('Command'), value: askedWords(asked) },
    ...(quantity === null
      ? []
      : [{ label: t('Amount'), value: <Amount value={quantity} asset={asset} /> }]),
    { label: t('Requested by'), value: <Name of="user" id={requested_by} /> },
    { label: t('Why approval is needed'), value: sentenceOf(reason) },
  ],
  done: ({ state }) => inWords(state),
}

const withdraw: ActionPlan<'post', '/approvals/{approval_id}/withdraw', Approval> = {
  label: t('Take back'),
  title: () => t('Take back what was asked for'),
  permission: 'approvals.read',
  why: whyNot,
  explain: () => t('Only who asked for it can. What was blocked for it is free again.'),
  fields: [NOTE],
  method: 'post',
  path: '/approvals/{approval_id}/withdraw',
  request: ({ id }, values) => ({ params: { approval_id: id }, body: filledTexts(values) }),
  done: () => t('Taken back'),
}

/** `2 × Approver, 1 still missing`. */
function GroupText({ group, missing }: { group: Group; missing: number }): ReactNode {
  const { roles = [], users = [], n } = group
  const anybody = roles.length === 0 && users.length === 0
  return (
    <div>
      {n} × {anybody ? t('anybody who may approve') : roles.map((role) => inWords(role)).join(', ')}
      {users.map((id) => (
        <span key={id}>
          {' '}
          <Name of="user" id={id} />
        </span>
      ))}
      {missing > 0 ? ` · ${t('{{count}} approvals missing', { count: missing })}` : ''}
    </div>
  )
}

const groupsOf = ({ groups, missing, state }: Approval): ReactNode =>
  groups.map((group, place) => (
    <GroupText
      key={JSON.stringify(group)}
      group={group}
      missing={state === 'PENDING' ? (missing[place] ?? 0) : 0}
    />
  ))

const decisionsOf = ({ decisions }: Approval): ReactNode =>
  decisions.length === 0
    ? NOTHING
    : decisions.map(({ user_id, decision, note }) => (
        <div key={user_id}>
          <Name of="user" id={user_id} />: {inWords(decision)}
          {note === null ? '' : ` · ${note}`}
        </div>
      ))

const STATES = [
  'PENDING',
  'APPROVED',
  'REJECTED',
  'EXPIRED',
  'WITHDRAWN',
  'EXECUTED',
  'FAILED',
] as const

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Approvals')}
      path="/approvals"
      live={['approval']}
      columns={[
        { key: 'state', title: t('State'), kind: 'status' },
        { key: 'command', title: t('Command'), value: askedWords },
        { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
        { key: 'requested_by', title: t('Requested by'), kind: 'user' },
        { key: 'rule_name', title: t('Rule') },
        { key: 'system_created_at', title: t('Requested'), kind: 'time' },
        { key: 'expires_at', title: t('Expires'), kind: 'time' },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: STATES, many: true },
        {
          name: 'command',
          label: t('Command'),
          kind: 'words',
          options: COMMANDS,
          many: true,
        },
      ]}
      empty={{
        title: t('Nothing to approve'),
        text: t('What the policy asks others about waits here.'),
      }}
    />
  )
}

const EXECUTION = {
  BY_KONTOR: t('Kontor does it as soon as it is approved'),
  BY_REQUESTER: t(
    'Who asked sends it again once it is approved: it has a secret, or its answer is shown once',
  ),
} as const

const linkField = (
  key: string,
  title: string,
  text: string,
  place: string | undefined,
): Section<ApprovalInDetail>['fields'] =>
  place === undefined ? [] : [{ key, title, render: () => <Link to={place}>{text}</Link> }]

const MOVED: Section<ApprovalInDetail>['fields'] = [
  { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
]

const WITHDRAWAL: Section<ApprovalInDetail>['fields'] = [
  ...MOVED,
  {
    key: 'record_id',
    title: t('Withdrawal'),
    render: (row) =>
      row.record_id === null ? (
        NOTHING
      ) : (
        <Link to={`/treasury/withdrawals/${row.record_id}`}>{t('What waits')}</Link>
      ),
  },
]

const operationFields = (row: ApprovalInDetail): Section<ApprovalInDetail>['fields'] => [
  ...(row.quantity === null ? [] : MOVED),
  ...linkField('record_id', t('What is changed'), t('The record as it is now'), changedPlace(row)),
  {
    key: 'execution',
    title: t('Once approved'),
    value: ({ execution }) => execution && EXECUTION[execution],
  },
  ...linkField('result_id', t('Result'), t('What came of it'), resultPlace(row)),
]

function sectionsOf(row: ApprovalInDetail): readonly Section<ApprovalInDetail>[] {
  const asked = askedSection(row)
  return [
    {
      fields: [
        ...(row.operation === null ? WITHDRAWAL : operationFields(row)),
        { key: 'requested_by', title: t('Requested by'), kind: 'user' },
        { key: 'reason', title: t('Why approval is needed'), kind: 'said' },
        { key: 'groups', title: t('Who approves'), render: groupsOf },
        { key: 'decisions', title: t('Decisions'), render: decisionsOf },
        { key: 'expires_at', title: t('Expires'), kind: 'time' },
        { key: 'ended_by', title: t('Ended by'), kind: 'user' },
        { key: 'ended_at', title: t('Ended'), kind: 'time' },
        { key: 'note', title: t('Note') },
        { key: 'policy_version', title: t('Version of the policy') },
        { key: 'failure', title: t('Why it could not be done'), kind: 'said' },
      ],
    },
    ...(asked === undefined ? [] : [asked]),
    COMMON_FIELDS,
  ]
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Approval')}
      path="/approvals/{approval_id}"
      request={{ params: { approval_id: id } }}
      live={['approval']}
      title={(row) => (
        <>
          {askedWords(row)} <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={decide} row={row} primary />
          <ActionButton plan={withdraw} row={row} />
        </>
      )}
      sections={sectionsOf}
    />
  )
}
