/** The first closing of a period, step by step: what should be settled before, and then the act. */
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useGet, useMay } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Status } from '../../parts/status.tsx'
import '../../parts/panels.css'
import '../administration/settings.css'

const EVERY_MILLISECONDS = 5_000
const MOST = 100

type Step = { title: string; text: string; left?: number | undefined; action: ReactNode }

/** How many are left, at most a hundred; undefined: not read yet, or not for this person to see. */
function useLeft(): Record<'deposits' | 'breaks' | 'days', number | undefined> {
  const desk = { enabled: useMay('desk.read'), every: EVERY_MILLISECONDS }
  const treasury = { enabled: useMay('treasury.deposits.read'), every: EVERY_MILLISECONDS }
  const limit = String(MOST)
  const open = { query: { state: 'open', limit } }
  const unassigned = { query: { state: 'unassigned', limit } }
  return {
    deposits: useGet('/treasury/deposits', unassigned, treasury).data?.length,
    breaks: useGet('/desk/breaks', open, desk).data?.length,
    days: useGet('/desk/reconciliation/days', open, desk).data?.length,
  }
}

/** Nothing once a period is closed. */
export function FirstClosing({ action }: { action: ReactNode }): ReactNode {
  const { data: closed } = useGet(
    '/periods',
    { query: { limit: '1' } },
    { every: EVERY_MILLISECONDS },
  )
  const { deposits, breaks, days } = useLeft()
  if (closed === undefined || closed.length > 0) return null
  const steps: readonly Step[] = [
    {
      title: t('Deposits without an owner'),
      text: t('What belongs to a customer should be booked to them in its own period.'),
      left: deposits,
      action: <Link to="/treasury/deposits?state=unassigned">{t('Deposits')}</Link>,
    },
    {
      title: t('Breaks'),
      text: t('What a venue holds otherwise than the books say is explained or booked.'),
      left: breaks,
      action: <Link to="/desk/breaks?state=open">{t('Breaks')}</Link>,
    },
    {
      title: t('Reconciled days'),
      text: t('A second person has signed off each day of each venue.'),
      left: days,
      action: <Link to="/desk/reconciled-days?state=open">{t('Reconciled days')}</Link>,
    },
    {
      title: t('Trial balance'),
      text: t('Look at what will be frozen. What is still missing is booked with its value date.'),
      action: <Link to="/books/trial-balance">{t('Trial balance')}</Link>,
    },
    {
      title: t('Closing'),
      text: t('Name the last day. Only a reopening with a reason takes it back.'),
      action,
    },
  ]
  return (
    <ol className="panel first-hour" aria-label={t('The first closing')}>
      {steps.map((step) => (
        <Entry key={step.title} step={step} />
      ))}
    </ol>
  )
}

function Entry({ step: { title, text, left, action } }: { step: Step }): ReactNode {
  return (
    <li className="setting" aria-label={title}>
      <div className="setting-about">
        <h3>{title}</h3>
        {left !== undefined && <Left count={left} />}
      </div>
      <div className="setting-value">{text}</div>
      <div className="setting-hand">{action}</div>
    </li>
  )
}

function Left({ count }: { count: number }): ReactNode {
  if (count === 0) return <Status state="" tone="good" says={t('Nothing left')} />
  const says = count < MOST ? t('{{count}} left', { count }) : t('Many left')
  return <Status state="" tone="wait" says={says} />
}
