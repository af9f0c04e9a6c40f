/**
 * What happened to a record and why: its timeline, or its events where the service has no timeline.
 */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { useEvents } from '../api/events.ts'
import type { Event } from '../api/events.ts'
import { useNames } from '../api/names.ts'
import { useGet } from '../api/query.ts'
import { Trans, t, wordFor } from '../language/index.ts'
import type { Lead } from '../list/columns.tsx'
import { RecordLink } from '../parts/links.tsx'
import { accountWords, doerWords, titleWords, whyWords } from '../parts/record-words.ts'
import { reasonWords } from '../parts/refusal-words.ts'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import { inWords } from '../parts/status.tsx'
import { Amount, Name, Time } from '../parts/values.tsx'
import { StoryPicture } from './story-picture.tsx'

type TimelineData = DataOf<'get', '/timeline/{kind}/{id}'>
type TimelineKind = TimelineData['kind']
type Step = TimelineData['steps'][number]

/** The kinds of records that have a timeline. */
const KINDS: Readonly<Record<TimelineKind, true>> = {
  deposit: true,
  withdrawal: true,
  execution: true,
  settlement: true,
  job_run: true,
  assignment: true,
  book_transfer: true,
  customer: true,
}
const REFRESH_MILLISECONDS = 15_000
const PAUSE_MILLISECONDS = 2_000

export function Timeline({ of }: { of: Lead }): ReactNode {
  return Object.hasOwn(KINDS, of.kind) ? (
    <Steps kind={of.kind as TimelineKind} id={of.id} />
  ) : (
    <Events resource_id={of.id} />
  )
}

function Steps({ kind, id }: { kind: TimelineKind; id: string }): ReactNode {
  const { data, error, refetch } = useGet(
    '/timeline/{kind}/{id}',
    { params: { kind, id } },
    { every: REFRESH_MILLISECONDS },
  )
  // Events of other records can add steps too.
  useEvents('all', () => refetch(), PAUSE_MILLISECONDS)
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  if (data.steps.length === 0) return <Nothing />
  return (
    <>
      {data.truncated && <p className="explain">{t('Only the latest steps are shown.')}</p>}
      <StoryPicture steps={data.steps} />
      <ol className="story" aria-label={t('Timeline')}>
        {data.steps.map((step, index) => (
          <StepItem key={index} step={step} own={step.resource.id === id} />
        ))}
      </ol>
    </>
  )
}

function StepItem({ step, own }: { step: Step; own: boolean }): ReactNode {
  const { at, title, reason, by, by_name, resource, bookings } = step
  const names = useNames('account')
  return (
    <li>
      <div className="story-head">
        <Time at={at} />
        <strong>{titleWords(title)}</strong>
      </div>
      {reason !== null && <p className="story-reason">{reasonWords(reason)}</p>}
      <p className="story-by">
        {!own && <RecordLink to={resource}>{inWords(resource.kind)}</RecordLink>}
        {!own && by !== null && ' · '}
        {by !== null && t('by {{by_name}}', { by_name: by_name ?? doerWords(by) })}
      </p>
      {bookings.map((booking) => (
        <div key={booking.id} className="story-booking">
          <RecordLink to={{ kind: 'booking', id: booking.id }}>
            {t('Booking {{sequence}}', { sequence: booking.sequence })}
          </RecordLink>{' '}
          <span className="soft">{inWords(booking.type)}</span>
          <ul>
            {booking.legs.map((leg, index) => (
              <li key={index}>
                <span className="leg-type">{inWords(leg.type)}</span>{' '}
                <Amount value={leg.quantity} asset={booking.asset} />{' '}
                <RecordLink to={{ kind: 'account', id: leg.account_id }}>
                  {names.get(leg.account_id) ?? accountWords(leg.account_label)}
                </RecordLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </li>
  )
}

function Events({ resource_id }: { resource_id: string }): ReactNode {
  const { data, error, refetch } = useGet('/events', { query: { resource_id, limit: '500' } })
  useEvents('all', (events) =>
    events.some((event) => event.resource_id === resource_id) ? refetch() : undefined,
  )
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  if (data.length === 0) return <Nothing />
  return (
    <ol className="story" aria-label={t('Timeline')}>
      {data.map((event) => (
        <EventItem key={event.sequence} event={event} />
      ))}
    </ol>
  )
}

function EventItem({ event }: { event: Event }): ReactNode {
  const { reason, note, by } = event.data as { reason?: unknown; note?: unknown; by?: unknown }
  const why = [reason, note].find((text) => typeof text === 'string')
  return (
    <li>
      <div className="story-head">
        <Time at={event.occurred_at} />
        <strong>{eventWords(event.type)}</strong>
      </div>
      {typeof why === 'string' && <p className="story-reason">{whyWords(why)}</p>}
      {typeof by === 'string' && (
        <p className="story-by">
          <Trans i18nKey="by <name/>" components={{ name: <Name of="user" id={by} /> }} />
        </p>
      )}
      <details>
        <summary>{t('Event data')}</summary>
        <pre tabIndex={0}>{JSON.stringify(event.data, null, 2)}</pre>
      </details>
    </li>
  )
}

/** `deposit.assignment_requested` → `Deposit assignment requested`. */
export function eventWords(type: string): string {
  return wordFor(type) ?? inWords(type.replace('.', ' '))
}

function Nothing(): ReactNode {
  return (
    <Empty title={t('No events yet')}>
      {t('Nothing has happened to this record, or it is older than the stored events.')}
    </Empty>
  )
}
