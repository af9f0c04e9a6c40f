/** The policy in force, in words, and every version of it. */
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import { begin, change, RuleText } from './policy-forms.tsx'
import { otherwiseWords } from './policy-words.ts'
import type { Policy } from './policy-words.ts'
import '../../parts/panels.css'
import './settings.css'

const EVERY_MILLISECONDS = 5_000

export function Page(): ReactNode {
  const { data: policy } = useGet('/policy', {}, { every: EVERY_MILLISECONDS })
  return (
    <WorkList
      title={t('Policy')}
      path="/policy/history"
      live={['policy']}
      record={false}
      keyOf={({ version }) => String(version)}
      above={policy && <InForce policy={policy} />}
      actions={
        policy && (
          <>
            <ActionButton plan={begin} row={policy} primary={policy.rules.length === 0} />
            <ActionButton plan={change} row={policy} />
          </>
        )
      }
      columns={[
        { key: 'version', title: t('Version'), kind: 'number', width: 100 },
        { key: 'made_at', title: t('In force since'), kind: 'time' },
        { key: 'made_by', title: t('By'), kind: 'user', width: 200 },
        { key: 'note', title: t('Why'), width: 220 },
        {
          key: 'rules',
          title: t('Rules'),
          value: ({ rules }) => rules.map(({ name }) => name).join(' · '),
          width: 280,
        },
        { key: 'otherwise', title: t('What no rule matches'), value: otherwiseWords, width: 170 },
      ]}
      empty={{
        title: t('There never was a policy'),
        text: t('Everything that somebody may do is done at once.'),
      }}
    />
  )
}

/** In order: the first that matches decides. */
function InForce({ policy }: { policy: Policy }): ReactNode {
  const { rules, version } = policy
  if (rules.length === 0 && policy.otherwise === 'ALLOW')
    return (
      <p className="panel">
        {t('There are no rules: whoever has the permission does everything alone.')}
      </p>
    )
  return (
    <ol className="panel first-hour" aria-label={t('In force: version {{version}}', { version })}>
      {rules.map((rule, place) => (
        <li className="setting" key={`${place} ${rule.name}`} aria-label={rule.name}>
          <div className="setting-about">
            <h3>
              {place + 1}. {rule.name}
            </h3>
          </div>
          <div className="setting-value">
            <RuleText rule={rule} />
          </div>
        </li>
      ))}
      <li className="setting" aria-label={t('What no rule matches')}>
        <div className="setting-about">
          <h3>{t('What no rule matches')}</h3>
        </div>
        <div className="setting-value">{otherwiseWords(policy)}</div>
      </li>
    </ol>
  )
}
