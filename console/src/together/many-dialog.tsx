/**
 * Many rows at once: what is to be filled in, then every record with what will happen to it, then
 * what became of each.
 */
import { useQuery } from '@tanstack/react-query'
import { App, Button, Form, Modal } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Inputs } from '../action/inputs.tsx'
import { leaveForm, useTypedForm, useTyping } from '../action/leaving.tsx'
import type { Leaving } from '../action/leaving.tsx'
import type { Values } from '../action/plan.ts'
import { useTimeOf } from '../action/steps.ts'
import { t } from '../language/index.ts'
import { focusRows } from '../list/row-keys.ts'
import { isFocusFree } from '../parts/focus.ts'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import type { ManyPlan, Task } from './plan.ts'
import { useRun } from './run.ts'
import type { Run } from './run.ts'
import { Foretold, TaskRows } from './task-rows.tsx'

const RUNNING: Leaving = {
  title: t('Leave while it runs?'),
  text: t('What is done stays done. What was not sent yet is not sent.'),
  stay: t('Stay'),
}
const WIDTH_PIXELS = 940

type ManyProps<Row extends { id: string }, One extends Task> = {
  plan: ManyPlan<Row, One>
  rows: readonly Row[]
  close(): void
  unchoose(keys: readonly string[]): void
}

/** Reads what is to be done first, where rows alone do not say it. */
export function ManyDialog<Row extends { id: string }, One extends Task>(
  props: ManyProps<Row, One>,
): ReactNode {
  const { plan, rows, close } = props
  const [key] = useState(() => crypto.randomUUID())
  const { data, error, refetch } = useQuery({
    queryKey: ['together', key],
    queryFn: async () => plan.tasks(rows),
    staleTime: 'static',
    gcTime: 0,
  })
  useFocusToRows()
  if (data !== undefined && data.length > 0) return <TasksDialog {...props} first={data} />
  return (
    <Modal
      open
      title={plan.label}
      onCancel={close}
      footer={[
        <Button key="back" onClick={close}>
          {t('Close')}
        </Button>,
      ]}
    >
      {error !== null && <Failure error={error} again={refetch} />}
      {error === null && data === undefined && <Loading />}
      {data?.length === 0 && <Empty title={t('There is nothing to do among them')} />}
    </Modal>
  )
}

/** The rows have the focus again, where the button that opened this is gone. */
function useFocusToRows(): void {
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (isFocusFree()) focusRows(document.querySelector('#content'))
      })
    },
    [],
  )
}

function TasksDialog<Row extends { id: string }, One extends Task>({
  plan,
  close,
  unchoose,
  first,
}: ManyProps<Row, One> & { first: readonly One[] }): ReactNode {
  const { message } = App.useApp()
  const [form] = Form.useForm<Values>()
  const { changed, isTyped } = useTyping(form, {})
  const [values, setValues] = useState<Values | undefined>(
    plan.fields === undefined ? {} : undefined,
  )
  const run = useRun(plan, first, (done, of) => {
    message.info(leftWords(plan.label, done, of))
  })
  const { running, outcomes } = run
  const begun = outcomes.size > 0
  useTypedForm(() => running, RUNNING)
  useTypedForm(() => !begun && isTyped())
  const leave = (): void => {
    leaveForm(() => {
      unchoose(doneRows(plan, run))
      close()
    })
  }
  const possible = run.tasks.filter(
    (task) => plan.why?.(task) === undefined && outcomes.get(task.id)?.state !== 'done',
  )
  return (
    <Modal
      open
      title={titleOf(plan, run, values)}
      onCancel={leave}
      width={WIDTH_PIXELS}
      mask={{ closable: false }}
      footer={
        <Buttons
          plan={plan}
          run={run}
          values={values}
          possible={possible}
          leave={leave}
          back={() => {
            setValues(undefined)
          }}
          fill={form.submit}
        />
      }
    >
      {!begun && <p className="explain">{plan.explain}</p>}
      <Form<Values>
        form={form}
        hidden={values !== undefined}
        layout="vertical"
        requiredMark="optional"
        onValuesChange={changed}
        onFinish={setValues}
      >
        <Inputs fields={plan.fields ?? []} />
      </Form>
      {begun ? (
        <Progress run={run} possible={possible} />
      ) : (
        <Foretold plan={plan} tasks={possible} />
      )}
      <TaskRows plan={plan} run={run} values={values} />
    </Modal>
  )
}

const leftWords = (label: string, done: number, of: number): string =>
  t('{{label}}: left when {{done}} of {{of}} were done', { label, done, of })

function titleOf<Row extends { id: string }, One extends Task>(
  { label, counted }: ManyPlan<Row, One>,
  { tasks, outcomes }: Run<One>,
  values: Values | undefined,
): string {
  const title = `${label}: ${counted(tasks.length)}`
  return values !== undefined && outcomes.size === 0
    ? t('{{title}}, please confirm', { title })
    : title
}

/** The rows of which everything is done. */
function doneRows<Row extends { id: string }, One extends Task>(
  { rowOf = ({ id }) => id }: ManyPlan<Row, One>,
  { tasks, outcomes }: Run<One>,
): string[] {
  const open = new Set(
    tasks.filter(({ id }) => outcomes.get(id)?.state !== 'done').map((task) => rowOf(task)),
  )
  return tasks.map((task) => rowOf(task)).filter((row) => !open.has(row))
}

function Progress<One extends Task>({
  run: { outcomes, running },
  possible,
}: {
  run: Run<One>
  possible: readonly One[]
}): ReactNode {
  const all = [...outcomes.values()]
  const done = all.filter(({ state }) => state === 'done').length
  const refused = all.filter(({ state }) => state === 'refused').length
  const told =
    refused === 0
      ? t('{{done}} done', { done })
      : t('{{done}} done, {{refused}} refused', { done, refused })
  const of = all.length + possible.filter(({ id }) => !outcomes.has(id)).length
  return (
    <p className="together-progress">
      {running && <progress max={of} value={done + refused} aria-label={t('Progress')} />}
      <span role="status">{running ? t('{{told}} of {{of}}', { told, of }) : `${told}.`}</span>
    </p>
  )
}

function Buttons<Row extends { id: string }, One extends Task>({
  plan,
  run,
  values,
  possible,
  leave,
  back,
  fill,
}: {
  plan: ManyPlan<Row, One>
  run: Run<One>
  values: Values | undefined
  possible: readonly One[]
  leave(): void
  back(): void
  fill(): void
}): ReactNode {
  const { running, outcomes } = run
  const begun = outcomes.size > 0
  const ended = begun && !running
  const since = useTimeOf(values)
  const close = useFocusAtEnd(ended)
  const refused = possible.filter(({ id }) => outcomes.get(id)?.state === 'refused')
  const again = refused.length > 0 && refused.length === possible.length
  const says = running ? plan.label : `${plan.label} ${plan.counted(possible.length)}`
  const go = (detail: number, at: number): void => {
    if (values === undefined) return fill()
    // The second half of a double click does not confirm what nobody can have read yet.
    if (running || detail > 1 || (plan.fields !== undefined && at < since.current)) return undefined
    run.go(possible, values).catch(reportError)
    return undefined
  }
  return (
    <>
      {running ? (
        <Button onClick={run.stop}>{t('Stop after this one')}</Button>
      ) : (
        <Button ref={close} onClick={begun || plan.fields === undefined || !values ? leave : back}>
          {backWords(begun, plan.fields !== undefined && values !== undefined)}
        </Button>
      )}
      {(!ended || possible.length > 0) && (
        <Button
          type="primary"
          danger={plan.danger === true && values !== undefined}
          loading={running}
          disabled={possible.length === 0}
          onClick={({ detail, timeStamp }) => {
            go(detail, timeStamp)
          }}
        >
          {goWords({ values, ended, again, says, count: possible.length })}
        </Button>
      )}
    </>
  )
}

function backWords(begun: boolean, filled: boolean): string {
  if (begun) return t('Close')
  // Beside “Cancel withdrawals”, “Cancel” could mean either.
  return filled ? t('Back') : t('Leave them')
}

function goWords(at: {
  values: Values | undefined
  ended: boolean
  again: boolean
  says: string
  count: number
}): string {
  if (at.values === undefined) return t('Continue')
  if (!at.ended) return at.says
  return at.again
    ? t('Try the {{count}} refused again', { count: at.count })
    : t('Go on with {{count}}', { count: at.count })
}

/** The button that was pressed may be gone by then. */
function useFocusAtEnd(ended: boolean): { current: HTMLButtonElement | null } {
  const close = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (ended) close.current?.focus()
  }, [ended])
  return close
}
