/**
 * The one pattern for actions: a button that is disabled with its reason, a form whose fields are data, a confirmation
 * of what moves money, and one Idempotency-Key per content, so that a double click or a repeat does it once.
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
  /** Why it cannot be done with this row now; undefined when it can. */
  why?(row: Row): string | undefined
  danger?: boolean
  /** Stands above the form: what it does. */
  explain?(row: Row): ReactNode
  fields?: readonly FormField[] | ((row: Row) => readonly FormField[])
  initial?(row: Row): Values
  /** Instead of `fields`, for forms that fields cannot describe; antd's Form.Item in it, named as the request's fields. */
  form?(row: Row, form: FormInstance<Values>): ReactNode
  width?: number
  method: M
  path: P
  /** The call made of the values. */
  request(row: Row, values: Values): RequestOf<M, P>
  /** For what moves money: shown after the form, and done only when confirmed. */
  confirm?(row: Row, values: Values): readonly Fact[] | Promise<readonly Fact[]>
  /** From the path of an error detail to the form's field, where they differ. */
  fieldOf?(path: string): string
  /** What is told when it is done; "Done" when absent. */
  done?(data: DataOf<M, P>, row: Row): string
  /** Where its form still stood when it was done. */
  after?(data: DataOf<M, P>, row: Row): void
}

/** The row is left out where the action needs none. */
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
  const reason =
    me === undefined
      ? 'Asking what you may do'
      : may
        ? plan.why?.(row as Row)
        : `Your roles do not have the permission ${plan.permission}`
  // The row as it was when the form was opened: what is sent names the version that was seen.
  const open = (): void => {
    openDialog((close) => <ActionModal plan={plan} row={row as Row} close={close} />)
  }
  return (
    <>
      {/* Also where it tells nothing: the button stays the same one, and keeps the focus, when its reason comes or goes. */}
      <Tooltip title={reason}>
        {/* aria-disabled instead of disabled: the reason can be reached by keyboard. */}
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

/** The one action of a page that makes something has the key n. */
function NewKey({ says, run }: { says: string; run(): void }): ReactNode {
  useShortcut('n', says, run)
  return null
}

/** The form itself, for who opens it by other means (a shortcut, a row). */
export function ActionModal<M extends Write, P extends PathOf<M>, Row>({
  plan,
  row,
  close,
}: {
  plan: ActionPlan<M, P, Row>
  row: Row
  close(): void
}): ReactNode {
  const [form] = Form.useForm<Values>()
  const { message } = App.useApp()
  /** What stands there to be confirmed, and what is sent then: the form below may be told of a new fee meanwhile. */
  const [asked, setAsked] = useState<{ facts: readonly Fact[]; values: Values }>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const fields = typeof plan.fields === 'function' ? plan.fields(row) : (plan.fields ?? [])
  // With nothing to fill in, what is to be confirmed stands there at once.
  const bare = plan.fields === undefined && plan.form === undefined && plan.confirm !== undefined
  useEffect(() => {
    if (bare) form.submit()
  }, [bare, form])
  const running = useRef(false)
  const shown = useRef(false)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  const askedAt = useRef(0)
  useLayoutEffect(() => {
    askedAt.current = performance.now()
  }, [asked])

  async function working(work: () => Promise<void>): Promise<void> {
    if (running.current) return
    running.current = true
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (thrown) {
      // Of a lost answer nothing is to be mended: the same is sent again as it stands.
      if (!bare && !mayBeDone(thrown)) setAsked(undefined)
      setError(pointed(form, thrown, plan.fieldOf) ? undefined : thrown)
      if (thrown instanceof KontorError) refreshAll().catch(() => undefined)
    } finally {
      running.current = false
      setBusy(false)
    }
  }

  async function send(values: Values): Promise<void> {
    const request = plan.request(row, values)
    const write = client()[
      plan.method === 'delete' ? 'del' : (plan.method as 'post')
    ] as unknown as (path: string, given: object) => Promise<DataOf<M, P>>
    const data = await once(JSON.stringify([plan.method, plan.path, request]), (idempotency_key) =>
      write(plan.path, { ...request, idempotency_key }),
    ).catch((thrown: unknown) => {
      if (!shown.current) message.error(`${plan.label}: ${errorText(thrown, true).title}`)
      throw thrown
    })
    refreshWith(data).catch(() => undefined)
    message.success(plan.done?.(data, row) ?? 'Done')
    // Who has left it before the answer came is elsewhere by now, perhaps in another form.
    if (shown.current) {
      close()
      plan.after?.(data, row)
    }
  }

  const filled = (values: Values): Promise<void> =>
    working(async () => {
      if (plan.confirm === undefined) await send(values)
      else setAsked({ facts: await plan.confirm(row, values), values })
    })
  /** What nobody can have read yet is not confirmed: by the second half of a double click, or by one of before it stood there. */
  const unread = ({ detail, timeStamp }: { detail: number; timeStamp: number }): boolean =>
    asked !== undefined && !bare && (detail > 1 || timeStamp < askedAt.current)
  const go = (): void => {
    if (asked === undefined) form.submit()
    else working(() => send(asked.values)).catch(() => undefined)
  }

  return (
    <Modal
      open
      title={asked === undefined ? plan.label : `${plan.label}: is this right?`}
      onCancel={close}
      width={plan.width ?? 520}
      mask={{ closable: false }}
      destroyOnHidden
      footer={[
        <Button
          key="back"
          onClick={
            asked === undefined || bare
              ? close
              : () => {
                  setAsked(undefined)
                }
          }
        >
          {asked === undefined || bare ? 'Cancel' : 'Back'}
        </Button>,
        <Button
          key="go"
          type="primary"
          danger={plan.danger === true}
          loading={busy}
          onClick={(event) => {
            if (!unread(event)) go()
          }}
        >
          {plan.confirm !== undefined && asked === undefined ? 'Continue' : plan.label}
        </Button>,
      ]}
    >
      {error !== undefined && (
        <Failure error={error} sent={asked !== undefined || plan.confirm === undefined} />
      )}
      {bare && plan.explain !== undefined && <div className="explain">{plan.explain(row)}</div>}
      {asked !== undefined && <Facts facts={asked.facts} />}
      <div hidden={asked !== undefined}>
        {plan.explain !== undefined && !bare && <div className="explain">{plan.explain(row)}</div>}
        <Form<Values>
          form={form}
          layout="vertical"
          size="middle"
          requiredMark="optional"
          initialValues={plan.initial?.(row) ?? {}}
          onFinish={(values) => {
            filled(values).catch(() => undefined)
          }}
        >
          {plan.form === undefined ? <Inputs fields={fields} /> : plan.form(row, form)}
          {/* Enter submits, whatever the footer holds. */}
          <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
        </Form>
      </div>
    </Modal>
  )
}

export function Facts({ facts }: { facts: readonly Fact[] }): ReactNode {
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

/** Writes what the service says at the fields it says it of; true when all of it has found a field. */
function pointed(
  form: FormInstance<Values>,
  error: unknown,
  fieldOf: ((path: string) => string) | undefined,
): boolean {
  if (!(error instanceof KontorError) || error.error_details.length === 0) return false
  const found = error.error_details.map(({ path, message }) => ({
    name: fieldPath(fieldOf?.(path) ?? path),
    message,
  }))
  const there = new Set(form.getFieldsError().map(({ name }) => JSON.stringify(name)))
  const known = found.filter(({ name }) => there.has(JSON.stringify(name)))
  for (const { name, message } of known)
    form.setFields([{ name: name as never, errors: [message] }])
  return known.length === found.length
}
