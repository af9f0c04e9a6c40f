/**
 * The frame around every page: navigation, search, theme, user, and the state of the connection.
 */
import {
  AuditOutlined,
  BankOutlined,
  BookOutlined,
  BulbOutlined,
  DashboardOutlined,
  LineChartOutlined,
  QuestionCircleOutlined,
  SearchOutlined,
  SettingOutlined,
  TeamOutlined,
  UserOutlined,
} from '@ant-design/icons'
import { Alert, Button, Modal } from 'antd'
import { lazy, Suspense, useEffect, useLayoutEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Link, NavLink, Outlet, useLocation, useNavigate, useNavigationType } from 'react-router'
import { showBrand } from '../api/brand.ts'
import { AssetsProvider } from '../api/assets.tsx'
import { startEvents, useEvents, useLiveness } from '../api/events.ts'
import { useFreshNames } from '../api/names.ts'
import { queries, useMeQuery, useNewestEvent } from '../api/query.ts'
import type { Me } from '../api/query.ts'
import { OpenDialog } from '../action/dialogs.tsx'
import { Trans, t } from '../language/index.ts'
import { AREAS, PAGES } from '../pages/index.ts'
import type { AreaKey } from '../pages/index.ts'
import { useLogo } from '../parts/logo.tsx'
import { useFocusBack } from '../parts/focus.ts'
import { Failure, Loading } from '../parts/states.tsx'
import { BrandName } from './brand-name.tsx'
import { Surroundings } from './surroundings.tsx'
import { usePageFocus } from './page-focus.ts'
import { Palette } from './palette.tsx'
import { GO_TO, keyWords, useShortcut, useShortcuts } from '../parts/shortcuts.ts'

/** Loaded after the page, which does not need it. */
const Menus = lazy(async () => ({ default: (await import('./menus.tsx')).Menus }))

const ICONS: Readonly<Record<AreaKey, ReactNode>> = {
  overview: <DashboardOutlined />,
  treasury: <BankOutlined />,
  trading: <LineChartOutlined />,
  books: <BookOutlined />,
  customers: <TeamOutlined />,
  desk: <AuditOutlined />,
  administration: <SettingOutlined />,
}

export function Layout(): ReactNode {
  const { data: me, failureReason, refetch } = useMeQuery()
  const newest = useNewestEvent()
  const brand = me?.workspace.brand
  useLayoutEffect(() => {
    if (brand !== undefined) showBrand(brand)
  }, [brand])
  if (me === undefined || newest === undefined)
    return failureReason === null ? (
      <Loading what={t('Loading your account')} />
    ) : (
      <div className="middle">
        <Failure error={failureReason} again={refetch} />
      </div>
    )
  return (
    <AssetsProvider>
      <Frame me={me} newest={newest} />
    </AssetsProvider>
  )
}

function Frame({ me, newest }: { me: Me; newest: number | null }): ReactNode {
  const [open, setOpen] = useState<'palette' | 'help'>()
  const openPalette = (): void => {
    setOpen('palette')
  }
  const openHelp = (): void => {
    setOpen('help')
  }
  const close = (): void => {
    setOpen(undefined)
  }
  useEffect(() => startEvents(me.user.id, newest), [me.user.id, newest])
  useFreshNames()
  useFreshBrand()
  usePageFocus()
  useShortcut('mod+k', t('Search and commands'), openPalette, t('Everywhere'))
  useShortcut('/', t('Search and commands'), openPalette, t('Everywhere'))
  useShortcut('?', t('Show these shortcuts'), openHelp, t('Everywhere'))
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {t('Skip to the content')}
      </a>
      <Navigation me={me} />
      <div className="main">
        <TopBar me={me} openPalette={openPalette} openHelp={openHelp} />
        <AwayBanner />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <OpenDialog />
      {open === 'palette' && <Palette close={close} />}
      {open === 'help' && <Help close={close} />}
    </div>
  )
}

/** Somebody has changed how the workspace shows itself. */
function useFreshBrand(): void {
  useEvents(['setting'], () => {
    queries.invalidateQueries({ queryKey: ['/auth/me'] }).catch(() => undefined)
  })
}

function TopBar({
  me,
  openPalette,
  openHelp,
}: {
  me: Me
  openPalette(): void
  openHelp(): void
}): ReactNode {
  return (
    <header className="top">
      <span className="workspace">{me.workspace.name}</span>
      <Button className="search" icon={<SearchOutlined />} onClick={openPalette}>
        <Trans i18nKey="Search or go to <kbd>Ctrl K</kbd>" components={{ kbd: <kbd /> }} />
      </Button>
      <span className="space" />
      <Surroundings />
      <Button
        type="text"
        aria-label={t('Keyboard shortcuts')}
        title={t('Keyboard shortcuts (?)')}
        icon={<QuestionCircleOutlined />}
        onClick={openHelp}
      />
      <Suspense fallback={<MenuPlaceholders me={me} />}>
        <Menus me={me} />
      </Suspense>
    </header>
  )
}

function Navigation({ me }: { me: Me }): ReactNode {
  const { search, pathname } = useLocation()
  // Folded where there is little room: on a small screen, or at twice the text size.
  const [open, setOpen] = useState(false)
  // A redirect leaves it unfolded: nobody has chosen a page yet.
  const redirected = useNavigationType() === 'REPLACE'
  useEffect(() => {
    if (!redirected) setOpen(false)
  }, [pathname, redirected])
  return (
    <nav className={`side${open ? ' open' : ''}`} aria-label={t('Areas')}>
      <div className="brand">
        <BrandName logo={useLogo(me.workspace.brand.logo)} />{' '}
        <Button
          className="unfold"
          size="small"
          aria-expanded={open}
          onClick={() => {
            setOpen(!open)
          }}
        >
          {t('Menu')}
        </Button>
      </div>
      {AREAS.map((area) => {
        const pages = area.pages.filter((page) => me.permissions.includes(page.permission))
        const itself = area.pages.length === 1 && area.pages[0]?.label === area.label
        return pages.length === 0 ? null : (
          <div key={area.key} className={itself ? 'area itself' : 'area'}>
            {!itself && (
              <h2>
                {ICONS[area.key]} {area.label}
              </h2>
            )}
            <ul>
              {pages.map((page) => (
                <li key={page.path}>
                  <NavLink
                    to={pathname === page.path ? { pathname: page.path, search } : page.path}
                  >
                    {itself && <>{ICONS[area.key]} </>}
                    {page.label}
                  </NavLink>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
      {PAGES.filter(
        (page) => page.keys !== undefined && me.permissions.includes(page.permission),
      ).map((page) => (
        <GoTo key={page.path} keys={`g ${page.keys}`} label={page.label} path={page.path} />
      ))}
    </nav>
  )
}

function GoTo({ keys, label, path }: { keys: string; label: string; path: string }): ReactNode {
  const navigate = useNavigate()
  useShortcut(
    keys,
    label,
    () => {
      navigate(path)?.catch(() => undefined)
    },
    GO_TO,
  )
  return null
}

function AwayBanner(): ReactNode {
  return useLiveness() === 'away' ? (
    <Alert
      banner
      type="warning"
      role="status"
      title={t('Kontor does not answer. Retrying automatically. Nothing you typed is lost.')}
    />
  ) : null
}

/** What the menus look like while they load. */
function MenuPlaceholders({ me }: { me: Me }): ReactNode {
  return (
    <>
      <Button type="text" aria-hidden="true" tabIndex={-1} icon={<BulbOutlined />} />
      <Button type="text" aria-hidden="true" tabIndex={-1} icon={<UserOutlined />}>
        {me.user.name ?? me.user.email}
      </Button>
    </>
  )
}

function Help({ close }: { close(): void }): ReactNode {
  useFocusBack()
  const shortcuts = useShortcuts()
  const fixed = [
    { keys: '↑ ↓', says: t('Move in the list'), group: t('Lists') },
    { keys: 'Enter', says: t('Open the row'), group: t('Lists') },
    { keys: t('Esc'), says: t('Close the record or dialog'), group: t('Everywhere') },
  ]
  const groups = Map.groupBy([...shortcuts, ...fixed], (shortcut) => shortcut.group)
  return (
    <Modal open onCancel={close} footer={null} title={t('Keyboard shortcuts')} width={560}>
      <p>
        <Link to="/help" onClick={close}>
          {t('Help: what the words of the desk mean')}
        </Link>
      </p>
      <div className="shortcuts">
        {[...groups].map(([group, list]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {list.map(({ keys, says }) => (
                <div key={keys}>
                  <dt>
                    {keyWords(keys)
                      .split(' ')
                      .map((part, index) => (
                        <kbd key={index}>{part}</kbd>
                      ))}
                  </dt>
                  <dd>{says}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
