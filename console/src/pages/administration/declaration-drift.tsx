/** Where the configuration file declares something else than the console, and what to do. */
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { t } from '../../language/index.ts'
import type { Declaration } from './declaration-fields.ts'
import { removePlan } from './declaration-form.tsx'
import { differences } from './declaration-value.tsx'
import { bothSay, KEEP, TAKE, TwoHandsDrift } from './two-hands.tsx'

type Decision = ActionPlan<'put', '/declarations/{key}', Declaration>

const both = ({ key, declaration, drift }: Declaration) =>
  bothSay(
    { label: t('Declaration'), value: key },
    { record: declaration, file: drift?.file },
    differences,
  )

const keep = ({ permission }: Declaration): Decision => ({
  ...KEEP,
  permission,
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
  ...TAKE,
  permission,
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
  const { drift, name } = record
  if (drift === null) return null
  return (
    <TwoHandsDrift
      label={t('{{name}}: two declarations', { name })}
      drift={drift}
      show={differences}
      ways={
        <>
          <ActionButton plan={keep(record)} row={record} />
          {drift.file === null ? (
            <ActionButton plan={removePlan(record)} row={record} />
          ) : (
            <ActionButton plan={take(record)} row={record} />
          )}
        </>
      }
    />
  )
}
