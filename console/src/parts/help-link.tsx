/** A question mark beside the title of a page, which leads to the help about its word. */
import { QuestionCircleOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '../language/index.ts'
import { HELP } from './help.ts'
import type { HelpKey } from './help.ts'

const titleOf = (about: HelpKey): string => HELP.find(({ key }) => key === about)?.title ?? about

export function HelpLink({ about }: { about: HelpKey }): ReactNode {
  return (
    <Link
      to={`/help#${about}`}
      aria-label={t('Help: {{about}}', { about: titleOf(about) })}
      title={t('Help: {{about}}', { about: titleOf(about) })}
    >
      <QuestionCircleOutlined />
    </Link>
  )
}
