/** On every page: whether real money moves here, and in which time zone the times are. */
import { Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import { offsetName, zoneName } from '../parts/periods.ts'
import { pageFacts } from './facts.ts'
import type { Environment } from './facts.ts'

const ENVIRONMENTS: Readonly<Record<Environment, { name: string; says: string }>> = {
  sandbox: { name: t('Sandbox'), says: t('Every venue is simulated. No real money moves.') },
  test: { name: t('Test'), says: t('The venues are those that they offer for tests.') },
  live: { name: t('Live'), says: t('Real money moves.') },
}

export function Surroundings(): ReactNode {
  const { environment = 'live' } = pageFacts()
  const { name, says } = ENVIRONMENTS[environment]
  const zone = zoneName()
  return (
    <>
      <Tooltip title={says}>
        <span className={`environment ${environment}`} tabIndex={0} aria-label={`${name}. ${says}`}>
          {name}
        </span>
      </Tooltip>
      <Tooltip title={t('All times are in the time zone of this browser: {{zone}}', { zone })}>
        <span className="zone" tabIndex={0} aria-label={t('Times are in {{zone}}', { zone })}>
          {offsetName(Date.now())}
        </span>
      </Tooltip>
    </>
  )
}
