/**
 * The steps of an action: fill in, confirm where the plan says so, send. One Idempotency-Key per
 * content, so that a double click or a repeat takes effect once.
 */
import { KontorError } from '@kontor/client'
import type { DataOf, PathOf } from '@kontor/client'
import { useIsFetching } from '@tanstack/react-query'
import { App } from 'antd'
import type { FormInstance } from 'antd'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { mayBeDone, once } from '../api/once.ts'
import { FIRST_READS, queries, refreshAll, refreshWith } from '../api/query.ts'
import { client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { approvalOf, errorText } from '../parts/states.tsx'
import { isStale, useConflict } from './conflict.tsx'
import type { Conflict } from './conflict.tsx'
import { showAtFields } from './field-errors.ts'
import type { ActionPlan, Fact, Values, Write } from './plan.ts'

/** An action whose form is open. */
export type OpenAction<M extends Write, P extends PathOf<M>, Row> = {
  plan: ActionPlan<M, P, Row>
  row: Row
  close(): void
}
type Confirmation = { facts: readonly Fact[]; values: Values }
type ActionSteps = {
  /** What is shown to be confirmed, and sent then. The form below may change meanwhile. */
  confirmation: Confirmation | undefined
  /** Nothing is to be filled in: the confirmation is shown at once. */
  bare: boolean
  busy: boolean
  error: unknown
  /** What somebody else has changed since the form was opened. */
  conflict: Conflict | undefined
  fill(values: Values): void
  /** The form was changed: a refusal is no longer shown, and nothing waits to be submitted. */
  forget(): void
  back(): void
  next(event: { detail: number; timeStamp: number }): void
}

export function useAction<M extends Write, P extends PathOf<M>, Row>(
  { plan, row: opened, close }: OpenAction<M, P, Row>,
  form: FormInstance<Values>,
  saved: () => void,
): ActionSteps {
  const { message } = App.useApp()
  const { known, conflict, goOnFromNewer } = useConflict(plan, opened, form)
  const [confirmation, setConfirmation] = useState<Confirmation>()
  const { busy, error, run, forgetError } = useOneAtATime()
  const bare = plan.fields === undefined && plan.form === undefined && plan.confirm !== undefined
  const { waits, waitForReads, forget } = useSubmission(form, bare, forgetError)
  const shown = useShown()
  const confirmableSince = useTimeOf(confirmation)

  /**
   * After a refusal the form is shown again. After a lost answer the same content can be sent
   * again.
   */
  const onError = async (thrown: unknown): Promise<unknown> => {
    if (!bare && !mayBeDone(thrown)) setConfirmation(undefined)
    if (isStale(thrown) && (await goOnFromNewer())) {
      if (bare && plan.confirm !== undefined)
        setConfirmation({ facts: await plan.confirm(known.current, {}), values: {} })
      return undefined
    }
    if (thrown instanceof KontorError) refreshAll().catch(() => undefined)
    return showAtFields(form, thrown, plan.fieldOf) ? undefined : thrown
  }
  const send = async (values: Values): Promise<void> => {
    const row = known.current
    const data = await sendOnce(plan, row, values).catch((thrown: unknown) => {
      if (approvalOf(thrown) !== undefined) saved()
      if (!shown.current) tell(message, plan.label, thrown)
      throw thrown
    })
    refreshWith(data).catch(() => undefined)
    message.success(plan.done?.(data, row) ?? t('Done'))
    // Somebody who closed the form early may be in another one by now.
    if (!shown.current) return
    saved()
    close()
    plan.after?.(data, row)
  }
  const fill = (values: Values): void => {
    if (waitForReads()) return
    run(async () => {
      if (plan.confirm === undefined) await send(values)
      else setConfirmation({ facts: await plan.confirm(known.current, values), values })
    }, onError)
  }
  return {
    confirmation,
    bare,
    busy: busy || waits,
    error,
    conflict,
    fill,
    forget,
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

/** To who has closed the form before the answer came. */
function tell(
  message: ReturnType<typeof App.useApp>['message'],
  label: string,
  thrown: unknown,
): void {
  const kind = approvalOf(thrown) === undefined ? 'error' : 'info'
  message[kind](`${label}: ${errorText(thrown, true).title}`)
}

/**
 * A bare form is submitted at once. Any other waits until everything on the page has been read,
 * since the rules of its fields need that: an amount is compared with a balance. Whoever changes
 * the form meanwhile presses again.
 */
function useSubmission(
  form: FormInstance<Values>,
  bare: boolean,
  forgetError: () => void,
): { waits: boolean; waitForReads(): boolean; forget(): void } {
  const [waits, setWaits] = useState(false)
  const reads = useIsFetching(FIRST_READS)
  useEffect(() => {
    if (bare) form.submit()
  }, [bare, form])
  useEffect(() => {
    if (!waits || queries.isFetching(FIRST_READS) > 0) return
    setWaits(false)
    form.submit()
  }, [waits, reads, form])
  return {
    waits,
    waitForReads: () => {
      const isReading = !bare && queries.isFetching(FIRST_READS) > 0
      if (isReading) setWaits(true)
      return isReading
    },
    forget: () => {
      setWaits(false)
      forgetError()
    },
  }
}

/** Runs one piece of work at a time; another one that is started meanwhile is dropped. */
function useOneAtATime(): {
  busy: boolean
  error: unknown
  run(work: () => Promise<void>, onError: (thrown: unknown) => Promise<unknown>): void
  forgetError(): void
} {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const running = useRef(false)
  const run = async (
    work: () => Promise<void>,
    onError: (thrown: unknown) => Promise<unknown>,
  ): Promise<void> => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (thrown) {
      setError(await onError(thrown))
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
    forgetError: () => {
      if (!mayBeDone(error)) setError(undefined)
    },
  }
}

/** Since when this stands on the screen. */
export function useTimeOf(shown: unknown): { readonly current: number } {
  const since = useRef(0)
  useLayoutEffect(() => {
    since.current = performance.now()
  }, [shown])
  return since
}

/** Whether the component is still on the screen. */
export function useShown(): { readonly current: boolean } {
  const shown = useRef(false)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  return shown
}

/** Sends what the plan says; the same content takes effect once. */
export function sendOnce<M extends Write, P extends PathOf<M>, Row>(
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
