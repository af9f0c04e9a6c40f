/** Of what a person is told, and how: kept by the service, for mails and for every computer. */
import { App, Button, Modal, Select } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { queries, useGet } from '../api/query.ts'
import { client } from '../api/session.ts'
import { LANGUAGES, language as shownLanguage, t } from '../language/index.ts'
import { zoneName } from '../parts/periods.ts'
import { Failure, Loading, errorText } from '../parts/states.tsx'
import { KIND_TEXTS } from './notification-words.ts'
import type { NotificationKind } from './notification-words.ts'

const PATH = '/notifications/preferences'
type Way = 'MENU' | 'MAIL' | 'OFF'
type Language = keyof typeof LANGUAGES

const WAYS: readonly { value: Way; label: string }[] = [
  { value: 'MENU', label: t('Under the bell') },
  { value: 'MAIL', label: t('Under the bell and by mail') },
  { value: 'OFF', label: t('Not at all') },
]

export function NotificationPreferences({ close }: { close(): void }): ReactNode {
  const { data, error, refetch } = useGet(PATH)
  return (
    <Modal open title={t('Notification settings')} footer={null} onCancel={close} width="34rem">
      {error !== null && <Failure error={error} again={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && <PreferencesForm known={data} close={close} />}
    </Modal>
  )
}

type Known = NonNullable<ReturnType<typeof useGet<typeof PATH>>['data']>

function PreferencesForm({ known, close }: { known: Known; close(): void }): ReactNode {
  const [ways, setWays] = useState(new Map(known.kinds.map(({ kind, way }) => [kind, way])))
  const [words, setWords] = useState<Language>(known.language ?? shownLanguage)
  const { save, busy } = useSaving(close)
  return (
    <form
      className="preferences"
      onSubmit={(event) => {
        event.preventDefault()
        const kinds = [...ways].map(([kind, way]) => ({ kind, way }))
        save({ kinds, language: words, time_zone: zoneName() })
      }}
    >
      {known.kinds.map(({ kind }) => (
        <WayChoice
          key={kind}
          label={KIND_TEXTS[kind]}
          value={ways.get(kind) ?? 'MENU'}
          choose={(way) => {
            setWays(new Map([...ways, [kind, way]]))
          }}
        />
      ))}
      <label className="wish">
        <span>{t('Language of the mails')}</span>
        <Select<Language>
          aria-label={t('Language of the mails')}
          value={words}
          options={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
          onChange={setWords}
        />
      </label>
      <p className="explain">
        {t(
          'Times in the mails are those of {{zone}}. Mails are bundled, and go to ' +
            'your e-mail address when Kontor has a mail server.',
          { zone: zoneName() },
        )}
      </p>
      <Button type="primary" htmlType="submit" loading={busy}>
        {t('Save')}
      </Button>
    </form>
  )
}

function WayChoice({
  label,
  value,
  choose,
}: {
  label: string
  value: Way
  choose(way: Way): void
}): ReactNode {
  return (
    <label className="wish">
      <span>{label}</span>
      <Select<Way> aria-label={label} value={value} options={[...WAYS]} onChange={choose} />
    </label>
  )
}

type Wishes = {
  kinds: { kind: NotificationKind; way: Way }[]
  language: Language
  time_zone: string
}

function useSaving(close: () => void): { busy: boolean; save(body: Wishes): void } {
  const [busy, setBusy] = useState(false)
  const { message } = App.useApp()
  const save = async (body: Wishes): Promise<void> => {
    setBusy(true)
    try {
      queries.setQueryData([PATH, null], await client().put(PATH, { body }))
      message.success(t('Saved'))
      close()
    } catch (error) {
      message.error(errorText(error, true).title)
      setBusy(false)
    }
  }
  return {
    busy,
    save: (body) => {
      save(body).catch(() => undefined)
    },
  }
}
