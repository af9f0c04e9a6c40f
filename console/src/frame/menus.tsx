/** The menus of the frame: theme and user. */
import { BulbOutlined, LogoutOutlined, UserOutlined } from '@ant-design/icons'
import { Button, Dropdown, Tag } from 'antd'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import type { Me } from '../api/query.ts'
import { logOut } from '../api/session.ts'
import { pageFacts } from './facts.ts'
import { chooseTheme, useThemeChoice } from './theme.ts'
import type { ThemeChoice } from './theme.ts'

export function Menus({ me }: { me: Me }): ReactNode {
  return (
    <>
      <ThemeButton />
      <UserMenu me={me} />
    </>
  )
}

const THEMES: Readonly<Record<ThemeChoice, string>> = {
  light: 'Light',
  dark: 'Dark',
  system: 'System',
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
        aria-label={`Theme: ${THEMES[choice]}`}
        title="Theme"
        icon={<BulbOutlined />}
      />
    </Dropdown>
  )
}

const DOCUMENTS = [
  { key: 'docs', address: '/docs/', name: 'Documentation' },
  { key: 'reference', address: '/api/docs/', name: 'API reference' },
].map(({ key, address, name }) => ({
  key,
  label: (
    <a href={address} target="_blank" rel="noreferrer">
      {name}
    </a>
  ),
}))

function UserMenu({ me }: { me: Me }): ReactNode {
  const navigate = useNavigate()
  const roles = (
    <span className="roles">
      {me.user.roles.map((role) => (
        <Tag key={role}>{role}</Tag>
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
              <>
                {me.user.email}
                {roles}
              </>
            ),
            disabled: true,
          },
          { type: 'divider' },
          ...(pageFacts().documents === true ? DOCUMENTS : []),
          { key: 'sessions', label: 'Your sessions' },
          { key: 'out', label: 'Log out', icon: <LogoutOutlined /> },
        ],
        onClick: ({ key }) => {
          if (key === 'out') logOut().catch(() => undefined)
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
