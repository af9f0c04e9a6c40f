/** The menus of the frame: theme and user. */
import {
  BulbOutlined,
  GlobalOutlined,
  LogoutOutlined,
  NumberOutlined,
  UserOutlined,
} from '@ant-design/icons'
import { formatAmount, NUMBER_FORMATS } from '@kontor/client'
import type { NumberFormatName } from '@kontor/client'
import { Button, Dropdown, Tag } from 'antd'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { ActionModal } from '../action/action.tsx'
import { openDialog } from '../action/dialogs.tsx'
import type { Me } from '../api/query.ts'
import { logOut } from '../api/session.ts'
import { LANGUAGES, chooseLanguage, isLanguage, language, t } from '../language/index.ts'
import { chooseNumbers, useNumbers } from '../parts/number-format.ts'
import type { NumberChoice } from '../parts/number-format.ts'
import { inWords } from '../parts/status.tsx'
import { pageFacts } from './facts.ts'
import { NotificationsButton } from './notifications.tsx'
import { changeOwnPassword } from './own-password.tsx'
import { chooseTheme, useThemeChoice } from './theme.ts'
import type { ThemeChoice } from './theme.ts'

export function Menus({ me }: { me: Me }): ReactNode {
  return (
    <>
      <NotificationsButton />
      <ThemeButton />
      <UserMenu me={me} />
    </>
  )
}

const THEMES: Readonly<Record<ThemeChoice, string>> = {
  light: t('Light'),
  dark: t('Dark'),
  system: t('System'),
}

function ThemeButton(): ReactNode {
  const choice = useThemeChoice()
  const items = Object.entries(THEMES).map(([key, label]) => ({ key, label }))
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        items,
        selectable: true,
        selectedKeys: [choice],
        onClick: ({ key }) => {
          chooseTheme(key as ThemeChoice)
        },
      }}
    >
      <Button
        type="text"
        aria-label={t('Theme: {{choice}}', { choice: THEMES[choice] })}
        title={t('Theme')}
        icon={<BulbOutlined />}
      />
    </Dropdown>
  )
}

/** How amounts are written, and read where they are typed. */
const NUMBERS = [
  { key: 'language', label: t('As in the browser') },
  ...(Object.keys(NUMBER_FORMATS) as NumberFormatName[]).map((key) => ({
    key,
    label: formatAmount('1234567.89', NUMBER_FORMATS[key]),
  })),
]
const isNumberChoice = (key: string): key is NumberChoice =>
  NUMBERS.some((item) => item.key === key)

const LANGUAGE_KEY = 'language '
const languageKey = (code: string): string => `${LANGUAGE_KEY}${code}`
const LANGUAGE_ITEMS = Object.entries(LANGUAGES).map(([code, label]) => ({
  key: languageKey(code),
  label,
}))

const DOCUMENTS = [
  { key: 'docs', address: '/docs/', name: t('Documentation') },
  { key: 'reference', address: '/api/docs/', name: t('API reference') },
].map(({ key, address, name }) => ({
  key,
  label: (
    <a href={address} target="_blank" rel="noreferrer">
      {name}
    </a>
  ),
}))

const passwordDialog = (close: () => void): ReactNode => (
  <ActionModal plan={changeOwnPassword} row={undefined} close={close} />
)

function UserMenu({ me }: { me: Me }): ReactNode {
  const navigate = useNavigate()
  const { choice, format } = useNumbers()
  const roles = (
    <span className="roles">
      {me.user.roles.map((role) => (
        <Tag key={role}>{inWords(role)}</Tag>
      ))}
    </span>
  )
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        items: [
          {
            key: 'who',
            label: (
              <span className="who">
                {me.user.email}
                {roles}
              </span>
            ),
            disabled: true,
          },
          { type: 'divider' },
          ...(pageFacts().documents === true ? DOCUMENTS : []),
          {
            key: 'numbers',
            label: t('Number format: {{example}}', {
              example: formatAmount('1250.5', format, { decimals: 2 }),
            }),
            icon: <NumberOutlined aria-hidden />,
            children: NUMBERS,
          },
          {
            key: 'languages',
            label: t('Language: {{language}}', { language: LANGUAGES[language] }),
            icon: <GlobalOutlined aria-hidden />,
            children: LANGUAGE_ITEMS,
          },
          { key: 'help', label: t('Help') },
          { key: 'sessions', label: t('Your sessions') },
          { key: 'password', label: t('Change password') },
          { key: 'factor', label: t('Your second factor') },
          { key: 'out', label: t('Log out'), icon: <LogoutOutlined /> },
        ],
        selectable: true,
        selectedKeys: [choice, languageKey(language)],
        onClick: ({ key }) => {
          const chosen = key.replace(LANGUAGE_KEY, '')
          if (isLanguage(chosen)) chooseLanguage(chosen)
          if (isNumberChoice(key)) chooseNumbers(key)
          if (key === 'out') logOut().catch(() => undefined)
          if (key === 'help') navigate('/help')?.catch(() => undefined)
          if (key === 'password') openDialog(passwordDialog)
          if (key === 'factor') navigate('/second-factor')?.catch(() => undefined)
          if (key === 'sessions') navigate('/sessions')?.catch(() => undefined)
        },
      }}
    >
      <Button type="text" icon={<UserOutlined />}>
        {me.user.name ?? me.user.email}
      </Button>
    </Dropdown>
  )
}
