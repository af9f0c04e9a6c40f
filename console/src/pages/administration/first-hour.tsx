/** The first hour of a bank with nothing but its own accounts, step by step. */
import type { ReactNode } from 'react'
import { useMe } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Loading } from '../../parts/states.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import type { Tone } from '../../parts/tones.ts'
import { useFirstHour } from './first-hour-state.ts'
import { stepsOf } from './first-hour-steps.tsx'
import type { Step } from './first-hour-steps.tsx'
import { rolesIn } from './role-words.ts'
import '../../parts/panels.css'
import './settings.css'

const [PERMISSIONS = ''] = Object.values(
  import.meta.glob('../../../../docs/generated/permissions.md', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
) as string[]

export function Page(): ReactNode {
  const me = useMe()
  const steps = stepsOf(useFirstHour())
  const done = steps.filter((step) => step.done === true)
  return (
    <section className="page" aria-label={t('First hour')}>
      <header className="page-head">
        <h1>{t('First hour')}</h1>
        <span className="count">
          {t('{{done}} of {{all}} steps are done', { done: done.length, all: steps.length })}
        </span>
      </header>
      {me === undefined ? (
        <Loading />
      ) : (
        <ol className="panel first-hour" aria-label={t('Steps')}>
          {steps.map((step) => (
            <Entry key={step.key} step={step} permissions={me.permissions} />
          ))}
        </ol>
      )}
    </section>
  )
}

type Permissions = readonly string[]

function Entry({ step, permissions }: { step: Step; permissions: Permissions }): ReactNode {
  const { title, found, action } = step
  const { says, tone, lacks } = standing(step, permissions)
  return (
    <li className="setting" aria-label={title}>
      <div className="setting-about">
        <h3>{title}</h3>
        <Status state={says} tone={tone} says={says} />
      </div>
      <div className="setting-value">{found}</div>
      <div className="setting-hand">
        {lacks === undefined ? (
          action
        ) : (
          <small className="setting-denied">
            {t('Who may:')} {rolesIn(PERMISSIONS, lacks).map(inWords).join(', ')}
          </small>
        )}
      </div>
    </li>
  )
}

type Standing = { says: string; tone: Tone; lacks?: string }

function standing({ done, read, write }: Step, permissions: Permissions): Standing {
  if (!permissions.includes(read))
    return { says: t('Not for you to see'), tone: 'off', lacks: read }
  if (done === undefined) return { says: t('Reading'), tone: 'busy' }
  const lacks = permissions.includes(write) ? {} : { lacks: write }
  if (done) return { says: t('Done'), tone: 'good', ...lacks }
  return 'lacks' in lacks
    ? { says: t('Not permitted for you'), tone: 'wait', ...lacks }
    : { says: t('To do'), tone: 'wait' }
}
