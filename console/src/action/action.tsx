/**
 * The one pattern for actions: a button that says why it is disabled, a form whose fields are data,
 * and a confirmation of everything that moves money.
 */
import type { PathOf } from '@kontor/client'
import { Button, Form, Modal, Tooltip } from 'antd'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import { useMe } from '../api/query.ts'
import { useShortcut } from '../parts/shortcuts.ts'
import { Failure } from '../parts/states.tsx'
import { openDialog } from './dialogs.tsx'
import { Inputs } from './inputs.tsx'
import type { ActionPlan, Fact, Values, Write } from './plan.ts'
import { useAction } from './steps.ts'
import type { OpenAction } from './steps.ts'

/** The button of an action. `row` is left out where the action needs none. */
export function ActionButton<M extends Write, P extends PathOf<M>, Row = undefined>({
  plan,
  row,
  primary,
}: {
  plan: ActionPlan<M, P, Row>
  row?: Row
  primary?: boolean
}): ReactNode {
  const me = useMe()
  const { permission } = plan
  const may = permission === undefined || me?.permissions.includes(permission) === true
  const denial =
    me === undefined
      ? 'Checking your permissions'
      : `Your roles do not have the permission ${permission}`
  const reason = may ? plan.why?.(row as Row) : denial
  // The form keeps the row as it was when it was opened, and so names the version that was seen.
  const open = (): void => {
    openDialog((close) => <ActionModal plan={plan} row={row as Row} close={close} />)
  }
  return (
    <>
      {/* Without a reason too: the button stays the same element and keeps the focus. */}
      <Tooltip title={reason}>
        {/* aria-disabled instead of disabled, so that the reason can be reached by keyboard. */}
        <Button
          size="small"
          type={primary === true ? 'primary' : 'default'}
          danger={plan.danger === true}
          aria-disabled={reason !== undefined}
          className={reason === undefined ? '' : 'cannot'}
          onClick={() => {
            if (reason === undefined) open()
          }}
          {...(reason === undefined ? {} : { 'aria-description': reason })}
        >
          {plan.label}
        </Button>
      </Tooltip>
      {primary === true && row === undefined && reason === undefined && (
        <NewKey says={plan.label} run={open} />
      )}
    </>
  )
}

/** The primary action of a page has the key n. */
function NewKey({ says, run }: { says: string; run(): void }): ReactNode {
  useShortcut('n', says, run)
  return null
}

/** The form of an action, also for places that open it without a button (a shortcut, a row). */
export function ActionModal<M extends Write, P extends PathOf<M>, Row>({
  plan,
  row,
  close,
}: OpenAction<M, P, Row>): ReactNode {
  const [form] = Form.useForm<Values>()
  const { confirmation, bare, busy, error, fill, back, next } = useAction(
    { plan, row, close },
    form,
  )
  // Beside “Cancel transfer”, “Cancel” could mean either.
  const leave = plan.label.startsWith('Cancel') ? 'Keep it' : 'Cancel'
  const explanation = plan.explain !== undefined && (
    <div className="explain">{plan.explain(row)}</div>
  )
  return (
    <Modal
      open
      title={confirmation === undefined ? plan.label : `${plan.label}: please confirm`}
      onCancel={close}
      width={plan.width ?? 520}
      mask={{ closable: false }}
      destroyOnHidden
      footer={[
        <Button key="back" onClick={back}>
          {confirmation === undefined || bare ? leave : 'Back'}
        </Button>,
        <Button key="go" type="primary" danger={plan.danger === true} loading={busy} onClick={next}>
          {plan.confirm !== undefined && confirmation === undefined ? 'Continue' : plan.label}
        </Button>,
      ]}
    >
      {error !== undefined && (
        <Failure error={error} sent={confirmation !== undefined || plan.confirm === undefined} />
      )}
      {bare && explanation}
      {confirmation !== undefined && <Facts facts={confirmation.facts} />}
      <div hidden={confirmation !== undefined}>
        {!bare && explanation}
        <PlanForm plan={plan} row={row} form={form} fill={fill} />
      </div>
    </Modal>
  )
}

function PlanForm<M extends Write, P extends PathOf<M>, Row>({
  plan,
  row,
  form,
  fill,
}: Pick<OpenAction<M, P, Row>, 'plan' | 'row'> & {
  form: FormInstance<Values>
  fill(values: Values): void
}): ReactNode {
  const fields = typeof plan.fields === 'function' ? plan.fields(row) : (plan.fields ?? [])
  return (
    <Form<Values>
      form={form}
      layout="vertical"
      size="middle"
      requiredMark="optional"
      initialValues={plan.initial?.(row) ?? {}}
      onFinish={fill}
    >
      {plan.form === undefined ? <Inputs fields={fields} /> : plan.form(row, form)}
      {/* Enter submits the form; the buttons in the footer stand outside of it. */}
      <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
    </Form>
  )
}

function Facts({ facts }: { facts: readonly Fact[] }): ReactNode {
  return (
    <dl className="facts" aria-label="To be confirmed">
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
