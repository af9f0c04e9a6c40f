/** What screening has found about a deposit, and that it is held meanwhile. */
import type { ReactNode } from 'react'
import { useGet, useMay } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { RecordLink } from '../../parts/links.tsx'
import { Status } from '../../parts/status.tsx'
import { NOTHING } from '../../parts/values.tsx'
import type { Deposit } from './open-rest.ts'

/** Why nothing can be done with it; undefined when screening does not hold it. */
export function whyHeld({ reason_code }: Deposit): string | undefined {
  if (reason_code === 'SCREENING_HIT')
    return t('It waits for the decision about its screening case')
  return reason_code === 'SCREENING_REFUSED'
    ? t('Compliance has refused it: it is kept')
    : undefined
}

/** The cases, for who may read them. */
export function CasesOf({ deposit }: { deposit: Deposit }): ReactNode {
  const may = useMay('screening.cases.read')
  const { data: cases = [] } = useGet(
    '/screening/cases',
    { query: { record_id: deposit.id } },
    { enabled: may },
  )
  if (cases.length === 0) return NOTHING
  return cases.map(({ id, state }) => (
    <div key={id}>
      <RecordLink to={{ kind: 'screening_case', id }}>{t('Screening case')}</RecordLink>{' '}
      <Status state={state} />
    </div>
  ))
}
