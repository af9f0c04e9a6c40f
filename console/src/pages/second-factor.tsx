/** By what one signs in beside the password; everybody has this page. */
import { Button, Modal } from 'antd'
import type { ReactNode } from 'react'
import { ActionButton } from '../action/action.tsx'
import { openDialog } from '../action/dialogs.tsx'
import type { ActionPlan } from '../action/plan.ts'
import { refreshAll } from '../api/query.ts'
import { RecoveryCodes } from '../frame/recovery-codes.tsx'
import { SetUpFactor } from '../frame/set-up-factor.tsx'
import { SetUpPasskey } from '../frame/set-up-passkey.tsx'
import { t } from '../language/index.ts'
import { WorkList } from '../list/work-list.tsx'
import type { RowOf } from '../list/work-list.tsx'
import { inWords } from '../parts/status.tsx'

type Factor = RowOf<'/auth/factors'>

const remove: ActionPlan<'delete', '/auth/factors/{factor_id}', Factor> = {
  label: t('Remove'),
  danger: true,
  explain: () => t('It no longer lets you in. All your other sessions end.'),
  method: 'delete',
  path: '/auth/factors/{factor_id}',
  request: ({ id }) => ({ params: { factor_id: id } }),
  done: () => t('Removed'),
}

const rename: ActionPlan<'put', '/auth/factors/{factor_id}', Factor> = {
  label: t('Rename'),
  fields: [{ name: 'label', label: t('Name'), kind: 'text', required: true, limit: 500 }],
  initial: ({ label }) => ({ label }),
  method: 'put',
  path: '/auth/factors/{factor_id}',
  request: ({ id }, { label }) => ({
    params: { factor_id: id },
    body: { label: String(label).trim() },
  }),
  done: () => t('Renamed'),
}

const renewCodes: ActionPlan<'post', '/auth/factors/recovery-codes'> = {
  label: t('New recovery codes'),
  explain: () => t('Those of before no longer work.'),
  method: 'post',
  path: '/auth/factors/recovery-codes',
  request: () => ({}),
  done: () => t('New recovery codes are made'),
  after: ({ recovery_codes }) => {
    if (recovery_codes === null) return
    openDialog((close) => (
      <Modal open title={t('Recovery codes')} footer={null} closable={false} width={520}>
        <RecoveryCodes codes={recovery_codes} done={close} />
      </Modal>
    ))
  },
}

function openSetUp(title: string, SetUp: typeof SetUpFactor): void {
  openDialog((close) => (
    <Modal open title={title} footer={null} onCancel={close} mask={{ closable: false }} width={520}>
      <SetUp
        done={() => {
          close()
          refreshAll().catch(() => undefined)
        }}
      />
    </Modal>
  ))
}

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Your second factor')}
      path="/auth/factors"
      every={15_000}
      record={false}
      columns={[
        { key: 'label', title: t('Name'), width: 240 },
        { key: 'kind', title: t('Kind'), value: ({ kind }) => inWords(kind), width: 180 },
        { key: 'confirmed_at', title: t('Set up'), kind: 'time' },
        { key: 'last_used_at', title: t('Last used'), kind: 'time' },
        {
          key: 'rename',
          title: t('Rename'),
          render: (row) => <ActionButton plan={rename} row={row} />,
          width: 130,
        },
        {
          key: 'remove',
          title: t('Remove'),
          render: (row) => <ActionButton plan={remove} row={row} />,
          width: 130,
        },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      empty={{
        title: t('No second factor'),
        text: t(
          'Only your password protects your account. Set up a passkey or an authenticator app.',
        ),
      }}
      actions={
        <>
          <Button
            size="small"
            type="primary"
            onClick={() => {
              openSetUp(t('Set up an authenticator app'), SetUpFactor)
            }}
          >
            {t('Set up an authenticator app')}
          </Button>
          <Button
            size="small"
            onClick={() => {
              openSetUp(t('Add a passkey'), SetUpPasskey)
            }}
          >
            {t('Add a passkey')}
          </Button>
          <ActionButton plan={renewCodes} />
        </>
      }
    />
  )
}
