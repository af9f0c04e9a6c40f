/**
 * The one pattern for actions: a button that says why it is disabled, a form whose fields are data,
 * a confirmation of everything that moves money, and one Idempotency-Key per content, so that a
 * double click or a repeat takes effect once.
 */
import { KontorError } from '@kontor/client'
import type { DataOf, Method, PathOf, RequestOf } from '@kontor/client'
import { App, Button, Form, Modal, Tooltip } from 'antd'
import type { FormInstance } from 'antd'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { mayBeDone, once } from '../api/once.ts'
import { refreshAll, refreshWith, useMe } from '../api/query.ts'
import type { Permission } from '../api/query.ts'
import { client } from '../api/session.ts'
import { useShortcut } from '../parts/shortcuts.ts'
import { errorText, Failure } from '../parts/states.tsx'
import { openDialog } from './dialogs.tsx'
import { Inputs } from './inputs.tsx'
import type { FormField } from './inputs.tsx'

export type Values = Record<string, unknown>
/** One line of a confirmation: amount, asset, from, to, address, tag, fee, account … */
export type Fact = { label: string; value: ReactNode }
type Write = Exclude<Method, 'get'>

export type ActionPlan<M extends Write, P extends PathOf<M>, Row = undefined> = {
  label: string
  permission: Permission
  /** Why the action is not possible with this row now; undefined when it is. */
  why?(row: Row): string | undefined
  danger?: boolean
  /** Above the form: what the action does. */
  explain?(row: Row): ReactNode
  fields?: readonly FormField[] | ((row: Row) => readonly FormField[])
  initial?(row: Row): Values
  /**
   * Instead of `fields`: a form of your own, of antd's Form.Items named like the request's fields.
   */
  form?(row: Row, form: FormInstance<Values>): ReactNode
  width?: number
  method: M
  path: P
  /** The request, made from the values. */
  request(row: Row, values: Values): RequestOf<M, P>
  /** For everything that moves money: shown after the form, and sent only when confirmed. */
  confirm?(row: Row, values: Values): readonly Fact[] | Promise<readonly Fact[]>
  /** The form's field of an error detail's path, where they differ. */
  fieldOf?(path: string): string
  /** The message after success; "Done" when absent. */
  done?(data: DataOf<M, P>, row: Row): string
  /** Called after success, unless the form was closed before the answer. */
  after?(data: DataOf<M, P>, row: Row): void
}

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
  const may = me?.permissions.includes(plan.permission) === true
  const denial =
    me === undefined
      ? 'Checking your permissions'
      : `Your roles do not have the permission ${plan.permission}`
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

type ModalProps<M extends Write, P extends PathOf<M>, Row> = {
  plan: ActionPlan<M, P, Row>
  row: Row
  close(): void
}

/** The form of an action, also for places that open it without a button (a shortcut, a row). */
export function ActionModal<M extends Write, P extends PathOf<M>, Row>({
  plan,
  row,
  close,
}: ModalProps<M, P, Row>): ReactNode {
  const [form] = Form.useForm<Values>()
  const { confirmation, bare, busy, error, fill, back, next } = useAction(
    { plan, row, close },
    form,
  )
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
          {confirmation === undefined || bare ? 'Cancel' : 'Back'}
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
}: Pick<ModalProps<M, P, Row>, 'plan' | 'row'> & {
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

type Confirmation = { facts: readonly Fact[]; values: Values }
type ActionSteps = {
  /** What is shown to be confirmed, and sent then. The form below may change meanwhile. */
  confirmation: Confirmation | undefined
  /** Nothing is to be filled in: the confirmation is shown at once. */
  bare: boolean
  busy: boolean
  error: unknown
  fill(values: Values): void
  back(): void
  next(event: { detail: number; timeStamp: number }): void
}

/** The steps of an action: fill in, confirm where the plan says so, send. */
function useAction<M extends Write, P extends PathOf<M>, Row>(
  { plan, row, close }: ModalProps<M, P, Row>,
  form: FormInstance<Values>,
): ActionSteps {
  const { message } = App.useApp()
  const [confirmation, setConfirmation] = useState<Confirmation>()
  const { busy, error, run } = useOneAtATime()
  const bare = plan.fields === undefined && plan.form === undefined && plan.confirm !== undefined
  useEffect(() => {
    if (bare) form.submit()
  }, [bare, form])
  const shown = useShown()
  const confirmableSince = useRef(0)
  useLayoutEffect(() => {
    confirmableSince.current = performance.now()
  }, [confirmation])

  /**
   * After a refusal the form is shown again. After a lost answer the same content can be sent
   * again.
   */
  const onError = (thrown: unknown): unknown => {
    if (!bare && !mayBeDone(thrown)) setConfirmation(undefined)
    if (thrown instanceof KontorError) refreshAll().catch(() => undefined)
    return showAtFields(form, thrown, plan.fieldOf) ? undefined : thrown
  }
  const send = async (values: Values): Promise<void> => {
    const data = await sendOnce(plan, row, values).catch((thrown: unknown) => {
      if (!shown.current) message.error(`${plan.label}: ${errorText(thrown, true).title}`)
      throw thrown
    })
    refreshWith(data).catch(() => undefined)
    message.success(plan.done?.(data, row) ?? 'Done')
    // Somebody who closed the form early may be in another one by now.
    if (!shown.current) return
    close()
    plan.after?.(data, row)
  }
  const fill = (values: Values): void => {
    run(async () => {
      if (plan.confirm === undefined) await send(values)
      else setConfirmation({ facts: await plan.confirm(row, values), values })
    }, onError)
  }
  return {
    confirmation,
    bare,
    busy,
    error,
    fill,
    back: () => {
      if (confirmation === undefined || bare) close()
      else setConfirmation(undefined)
    },
    next: ({ detail, timeStamp }) => {
      if (confirmation === undefined) return form.submit()
      // The second half of a double click does not confirm what nobody can have read yet.
      if (!bare && (detail > 1 || timeStamp < confirmableSince.current)) return
      run(() => send(confirmation.values), onError)
    },
  }
}

/** Runs one piece of work at a time; another one that is started meanwhile is dropped. */
function useOneAtATime(): {
  busy: boolean
  error: unknown
  run(work: () => Promise<void>, onError: (thrown: unknown) => unknown): void
} {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const running = useRef(false)
  const run = async (
    work: () => Promise<void>,
    onError: (thrown: unknown) => unknown,
  ): Promise<void> => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (thrown) {
      setError(onError(thrown))
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return {
    busy,
    error,
    run: (work, onError) => {
      run(work, onError).catch(reportError)
    },
  }
}

/** Whether the component is still on the screen. */
function useShown(): { readonly current: boolean } {
  const shown = useRef(false)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  return shown
}

function sendOnce<M extends Write, P extends PathOf<M>, Row>(
  plan: ActionPlan<M, P, Row>,
  row: Row,
  values: Values,
): Promise<DataOf<M, P>> {
  const request = plan.request(row, values)
  const method = plan.method === 'delete' ? 'del' : (plan.method as 'post')
  const write = client()[method] as unknown as (
    path: string,
    request: object,
  ) => Promise<DataOf<M, P>>
  return once(JSON.stringify([plan.method, plan.path, request]), (idempotency_key) =>
    write(plan.path, { ...request, idempotency_key }),
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

/** `legs[0].quantity` → ['legs', 0, 'quantity']. */
export function fieldPath(path: string): (string | number)[] {
  return path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** Shows the details of an error at their fields; true when every detail has found one. */
function showAtFields(
  form: FormInstance<Values>,
  error: unknown,
  fieldOf: ((path: string) => string) | undefined,
): boolean {
  if (!(error instanceof KontorError) || error.error_details.length === 0) return false
  const details = error.error_details.map(({ path, message }) => ({
    name: fieldPath(fieldOf?.(path) ?? path),
    message,
  }))
  const names = new Set(form.getFieldsError().map(({ name }) => JSON.stringify(name)))
  const placed = details.filter(({ name }) => names.has(JSON.stringify(name)))
  for (const { name, message } of placed)
    form.setFields([{ name: name as never, errors: [message] }])
  return placed.length === details.length
}
