/** Where the configuration file declares something else than the console, and what to do. */
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { Trans, t } from '../../language/index.ts'
import { Time } from '../../parts/values.tsx'
import { DeclarationValue } from './declaration-value.tsx'
import type { Declaration } from './declaration-fields.ts'
import { removePlan } from './declaration-form.tsx'
import './settings.css'

type Decision = ActionPlan<'put', '/declarations/{key}', Declaration>

const both = ({ key, declaration, drift }: Declaration) => [
  { label: t('Declaration'), value: key },
  { label: t('The console says'), value: <DeclarationValue value={declaration} /> },
  { label: t('The file says'), value: <DeclarationValue value={drift?.file} /> },
]

const keep = ({ permission }: Declaration): Decision => ({
  label: t('Keep what the console says'),
  permission,
  explain: () =>
    t('It stays. The difference is not shown again until the file says something else.'),
  method: 'put',
  path: '/declarations/{key}',
  request: ({ key, declaration, version }) => ({
    params: { key },
    body: { declaration, version, keep_against_file: true },
  }),
  confirm: both,
  done: ({ name }) => t('{{name}}: what the console says stays', { name }),
})

const take = ({ permission }: Declaration): Decision => ({
  label: t('Take what the file says'),
  permission,
  explain: () => t('What the file says counts at once.'),
  method: 'put',
  path: '/declarations/{key}',
  request: ({ key, drift, version }) => ({
    params: { key },
    body: { declaration: drift?.file ?? null, version },
  }),
  confirm: both,
  done: ({ name }) => t('{{name}}: what the file says counts', { name }),
})

export function DeclarationDrift({ record }: { record: Declaration }): ReactNode {
  const { drift, name, declaration } = record
  if (drift === null) return null
  return (
    <div
      className="setting-drift"
      role="group"
      aria-label={t('{{name}}: two declarations', { name })}
    >
      <p>
        <Trans
          i18nKey={
            'The configuration file says something else since <time/>. What the console ' +
            'says counts.'
          }
          components={{ time: <Time at={drift.since} /> }}
        />
      </p>
      <dl>
        <div>
          <dt>{t('The console says')}</dt>
          <dd>
            <DeclarationValue value={declaration} />
          </dd>
        </div>
        <div>
          <dt>{t('The file says')}</dt>
          <dd>
            <DeclarationValue value={drift.file} />
          </dd>
        </div>
      </dl>
      <span className="setting-ways">
        <ActionButton plan={keep(record)} row={record} />
        {drift.file === null ? (
          <ActionButton plan={removePlan(record)} row={record} />
        ) : (
          <ActionButton plan={take(record)} row={record} />
        )}
      </span>
    </div>
  )
}
