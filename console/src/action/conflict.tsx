/**
 * Somebody else was faster: who changed what since the form was opened. What only they have changed
 * is taken over into the form; where both have, what was typed here stays. Sending again goes on
 * from their version.
 */
import { KontorError } from '@kontor/client'
import type { PathOf } from '@kontor/client'
import { Alert } from 'antd'
import type { FormInstance } from 'antd'
import { useRef, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import { useNames } from '../api/names.ts'
import { newerVersionOf, refreshAll, useMe } from '../api/query.ts'
import { Trans, t } from '../language/index.ts'
import { FieldValue } from '../parts/field-value.tsx'
import { inWords } from '../parts/status.tsx'
import { Name, Time } from '../parts/values.tsx'
import type { ActionPlan, Values, Write } from './plan.ts'

export function isStale(error: unknown): boolean {
  return (
    error instanceof KontorError && error.error_details.some(({ code }) => code === 'STALE_VERSION')
  )
}

type Change = {
  name: string
  label: string
  before: unknown
  theirs: unknown
  /** Only where it was changed here, too. */
  yours?: unknown
}
export type Conflict = {
  by: string | undefined
  at: number | undefined
  changes: readonly Change[]
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

const KEPT_BY_KONTOR = /^(version|system_|updated_|changed_)/

/**
 * `known` is the row as it was when the form was opened, or as somebody else has left it since.
 * `goOnFromNewer` is false when nothing newer can be read.
 */
export function useConflict<M extends Write, P extends PathOf<M>, Row>(
  plan: ActionPlan<M, P, Row>,
  opened: Row,
  form: FormInstance<Values>,
): {
  known: RefObject<Row>
  conflict: Conflict | undefined
  goOnFromNewer(): Promise<boolean>
} {
  const known = useRef(opened)
  const [conflict, setConflict] = useState<Conflict>()
  const goOnFromNewer = async (): Promise<boolean> => {
    await refreshAll()
    const was = known.current
    const now = newerVersionOf(was)
    if (now === undefined) return false
    known.current = now
    setConflict(mergeInto(form, plan, was, now))
    return true
  }
  return { known, conflict, goOnFromNewer }
}

/** Compares, and takes over into the form what only they have changed. */
function mergeInto<M extends Write, P extends PathOf<M>, Row>(
  form: FormInstance<Values>,
  plan: ActionPlan<M, P, Row>,
  was: Row,
  now: Row,
): Conflict {
  const [mine, their] = [plan.initial?.(was) ?? {}, plan.initial?.(now) ?? {}]
  const changes: Change[] = []
  for (const name of Object.keys({ ...mine, ...their })) {
    if (KEPT_BY_KONTOR.test(name) || isSame(mine[name], their[name])) continue
    const change = { name, label: labelOf(name), before: mine[name], theirs: their[name] }
    const yours: unknown = form.getFieldValue(name)
    if (isSame(yours, mine[name])) {
      form.setFieldValue(name, their[name])
      changes.push(change)
    } else changes.push({ ...change, yours })
  }
  const told = now as Record<string, unknown>
  const by = told['system_updated_by'] ?? told['changed_by']
  const at = told['system_updated_at'] ?? told['changed_at']
  return {
    by: typeof by === 'string' ? by : undefined,
    at: typeof at === 'number' ? at : undefined,
    changes: changes.length > 0 ? changes : otherChanges(was as Values, now as Values),
  }
}

/** Of what the form does not ask for. */
function otherChanges(was: Values, now: Values): Change[] {
  return Object.keys(now)
    .filter((name) => !KEPT_BY_KONTOR.test(name) && !isSame(was[name], now[name]))
    .map((name) => ({ name, label: inWords(name), before: was[name], theirs: now[name] }))
}

/** As the field of the form is called. */
function labelOf(name: string): string {
  const id = CSS.escape(name)
  const label = document.querySelector(
    `.ant-modal :is(label[for="${id}"], label:has(input[id="${id}"]))`,
  )
  return label?.textContent.replace(/\s*\(optional\)$/, '') ?? inWords(name)
}

export function ConflictNote({
  conflict,
  goOn,
}: {
  conflict: Conflict
  /** What the button is called that sends it again. */
  goOn: string
}): ReactNode {
  const { by, at, changes } = conflict
  const both = changes.some((change) => 'yours' in change)
  return (
    <Alert
      type="warning"
      showIcon
      role="alert"
      className="failure conflict"
      title={
        <Trans
          i18nKey={
            at === undefined
              ? '<who/> changed this while your form was open'
              : '<who/> changed this at <time/> while your form was open'
          }
          components={{ who: <Who id={by} />, time: <Time at={at} short /> }}
        />
      }
      description={
        <>
          <table aria-label={t('What was changed')}>
            <thead>
              <tr>
                <th scope="col">{t('Field')}</th>
                <th scope="col">{t('Before')}</th>
                <th scope="col">{t('Now')}</th>
                {both && <th scope="col">{t('Yours')}</th>}
              </tr>
            </thead>
            <tbody>
              {changes.map((change) => (
                <tr key={change.name}>
                  <th scope="row">{change.label}</th>
                  <td>
                    <FieldValue name={change.name} value={change.before} />
                  </td>
                  <td>
                    <FieldValue name={change.name} value={change.theirs} />
                  </td>
                  {both && (
                    <td>
                      {'yours' in change && <FieldValue name={change.name} value={change.yours} />}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
          {both
            ? t(
                'Where you both changed a field, yours is kept. ' +
                  'Press “{{goOn}}” to save it on top.',
                { goOn },
              )
            : t('Nothing you typed is lost. Press “{{goOn}}” to go on from there.', { goOn })}
        </>
      }
    />
  )
}

/** You, who it was, or somebody whose name one may not see. */
export function Who({ id }: { id: string | null | undefined }): ReactNode {
  const me = useMe()?.user.id
  const known = useNames('user').get(id ?? '') !== undefined
  if (typeof id === 'string' && id === me) return t('You, in another window,')
  return known ? <Name of="user" id={id} /> : t('Somebody else')
}
