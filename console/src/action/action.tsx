/**
 * The one pattern for actions: a button that says why it is disabled, a form whose fields are data,
 * and a confirmation of everything that moves money.
 */
import type { PathOf } from '@kontor/client'
import { Button, Form, Modal, Tooltip } from 'antd'
import type { FormInstance } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useMe } from '../api/query.ts'
import { Trans, t } from '../language/index.ts'
import { useShortcut } from '../parts/shortcuts.ts'
import { Failure } from '../parts/states.tsx'
import { ConflictNote } from './conflict.tsx'
import { openDialog } from './dialogs.tsx'
import { clearErrors } from './field-errors.ts'
import { Inputs } from './inputs.tsx'
import { leaveForm, useTypedForm, useTyping } from './leaving.tsx'
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
      ? t('Checking your permissions')
      : t('Your roles do not have the permission {{permission}}', { permission })
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
  const [initial] = useState(() => plan.initial?.(row) ?? {})
  const { changed, isTyped, saved } = useTyping(form, initial)
  const { confirmation, bare, busy, error, conflict, fill, forget, back, next } = useAction(
    { plan, row, close },
    form,
    saved,
  )
  // What is being sent is not lost: a message tells what became of it.
  useTypedForm(() => !busy && isTyped())
  const title = plan.title?.(row) ?? plan.label
  const leave = plan.cancels === true ? t('Keep it') : t('Cancel')
  const go = plan.confirm !== undefined && confirmation === undefined ? t('Continue') : plan.label
  const explanation = plan.explain !== undefined && (
    <div className="explain">{plan.explain(row)}</div>
  )
  return (
    <Modal
      open
      title={
        confirmation === undefined ? (
          title
        ) : (
          <Trans i18nKey="<title/>: please confirm" components={{ title: <>{title}</> }} />
        )
      }
      onCancel={() => {
        leaveForm(close)
      }}
      width={plan.width ?? 520}
      mask={{ closable: false }}
      destroyOnHidden
      afterOpenChange={focusFirstField}
      footer={[
        <Button key="back" onClick={back}>
          {confirmation === undefined || bare ? leave : t('Back')}
        </Button>,
        <GoButton key="go" plan={plan} row={row} busy={busy} says={go} next={next} />,
      ]}
    >
      {error !== undefined && (
        <Refused error={error} sent={confirmation !== undefined || plan.confirm === undefined} />
      )}
      {conflict !== undefined && <ConflictNote conflict={conflict} goOn={go} />}
      {bare && explanation}
      {confirmation !== undefined && <Facts facts={confirmation.facts} />}
      <div hidden={confirmation !== undefined}>
        {!bare && explanation}
        <PlanForm
          plan={plan}
          row={row}
          form={form}
          initial={initial}
          changed={(values) => {
            changed(values)
            clearErrors(form, values)
            forget()
          }}
          fill={fill}
        />
      </div>
    </Modal>
  )
}

function GoButton<M extends Write, P extends PathOf<M>, Row>({
  plan,
  row,
  busy,
  says,
  next,
}: Pick<OpenAction<M, P, Row>, 'plan' | 'row'> & {
  busy: boolean
  says: string
  next: ReturnType<typeof useAction>['next']
}): ReactNode {
  const isOver = useIsOver(plan.over?.(row))
  return (
    <Button
      type="primary"
      danger={plan.danger === true}
      disabled={isOver && !busy}
      loading={busy}
      onClick={next}
    >
      {says}
    </Button>
  )
}

/** Whether this time has come. */
function useIsOver(at: number | undefined): boolean {
  const [over, setOver] = useState<number>()
  useEffect(() => {
    if (at === undefined) return
    const timer = setTimeout(
      () => {
        setOver(at)
      },
      Math.max(0, at - Date.now()),
    )
    return () => {
      clearTimeout(timer)
    }
  }, [at])
  return at !== undefined && over === at
}

/** What is said above a long form is seen by who has pressed the button below it. */
function Refused(failure: { error: unknown; sent: boolean }): ReactNode {
  return (
    <div ref={bringIntoView}>
      <Failure {...failure} />
    </div>
  )
}

function bringIntoView(words: HTMLElement | null): void {
  words?.scrollIntoView({ block: 'nearest' })
}

function focusFirstField(): void {
  const field = document.querySelector<HTMLElement>(
    '.ant-modal form :is(input, textarea):not(:disabled)',
  )
  if (field?.closest('[hidden]') === null) field.focus({ preventScroll: true })
}

function PlanForm<M extends Write, P extends PathOf<M>, Row>({
  plan,
  row,
  form,
  initial,
  changed,
  fill,
}: Pick<OpenAction<M, P, Row>, 'plan' | 'row'> & {
  form: FormInstance<Values>
  initial: Values
  changed(values: Partial<Values>): void
  fill(values: Values): void
}): ReactNode {
  const fields = typeof plan.fields === 'function' ? plan.fields(row) : (plan.fields ?? [])
  return (
    <Form<Values>
      form={form}
      layout="vertical"
      size="middle"
      requiredMark="optional"
      scrollToFirstError={{ focus: true, block: 'center' }}
      initialValues={initial}
      onValuesChange={changed}
      onFinish={fill}
    >
      {plan.form === undefined ? <Inputs fields={fields} /> : plan.form(row, form)}
      {/* Enter submits the form; the buttons in the footer stand outside of it. */}
      <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
    </Form>
  )
}

/** Read first, as the form that had the focus is hidden by then. */
function Facts({ facts }: { facts: readonly Fact[] }): ReactNode {
  const list = useRef<HTMLDListElement>(null)
  useEffect(() => {
    const held = document.activeElement
    if (!(held instanceof HTMLButtonElement)) list.current?.focus({ preventScroll: true })
  }, [])
  return (
    <dl ref={list} className="facts" aria-label={t('To be confirmed')} tabIndex={-1}>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
